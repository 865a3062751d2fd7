/* The device: what it is called, what it can do at best, how warm it runs. */
#ifndef GPU_H
#define GPU_H

#include "gemm.h"

/* Dense peaks in TFLOP/s; NAN where the chip has no such unit or the figure is not known. */
typedef struct {
    double fp32, tf32_tensor, fp16_tensor, fp8_tensor;
} gpu_peaks;

typedef struct {
    char name[64];
    int major, minor; /* compute capability; 0.0 for the CPU device */
    int multiprocessors;
    int smem_bytes;   /* of shared memory that a block may ask for; 0: not known */
    double clock_mhz; /* highest SM clock; NAN when not reported */
    size_t memory_bytes;
    gpu_peaks peaks;
    char driver[64], toolkit[64];
    int is_cpu_device;
} gpu_info;

/* Readings of the management library (NVML) while the kernel runs, averaged over the groups; NAN where there are none.
 */
typedef struct {
    double sm_clock_mhz, power_w, temperature_c;
} gpu_readings;

/* Peaks of a chip. Named chips come from their datasheets; any other gets FP32 as cores x 2 x clock when its
 * architecture is known, and NAN for the rest. `clock_mhz` may be NAN or 0. */
gpu_peaks gpu_peaks_of(const char *name, int major, int minor, int multiprocessors, double clock_mhz);

/* Dense peak of one unit, and of the fastest unit that multiplies a type exactly as given. */
double gpu_unit_peak(const gpu_peaks *peaks, gemm_unit unit);
double gpu_top_peak(const gpu_peaks *peaks, gemm_dtype dtype);

/* Describes the current device. Returns 0, or -1 with a sentence in `error` when there is none that works. */
int gpu_describe(gpu_info *info, char *error, size_t error_size);

/* Registers, shared memory and occupancy of a kernel; NAN where not known (the CPU device has none). */
typedef struct {
    double registers, smem_bytes, occupancy, local_bytes; /* local memory: spills and arrays, per thread */
} gpu_usage;
gpu_usage gpu_usage_of(const gpu_info *info, const gemm_footprint *footprint);

/* Why this GPU cannot run a kernel of a unit on a type with so many bytes of shared memory a block: a sentence in
 * `why`, which is then returned, or NULL when it can. The CPU device has every unit. */
const char *gpu_lacks(const gpu_info *info, gemm_unit unit, gemm_dtype dtype, size_t smem_bytes, char *why,
                      size_t why_size);

/* Takes one reading and adds it to a running mean; a session holds the library open. Never fails: without NVML the
 * readings are NAN. */
typedef struct gpu_monitor gpu_monitor;
gpu_monitor *gpu_monitor_open(const gpu_info *info);
void gpu_monitor_reset(gpu_monitor *monitor);
void gpu_monitor_sample(gpu_monitor *monitor);
gpu_readings gpu_monitor_mean(const gpu_monitor *monitor);
void gpu_monitor_close(gpu_monitor *monitor);

#endif
