#include "gpu.h"

#include "number.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- peaks ------------------------------------------------------------------------------------------------------- */

/* Dense TFLOP/s: FP32, and TF32, FP16 and FP8 on tensor cores with float accumulation; a datasheet's sparse figures are
 * halved. The first entry that the device name contains is taken, so longer names stand first. */
static const struct {
    const char *name;
    gpu_peaks peaks;
} chips[] = {
    {"H200 NVL", {60.0, 417.5, 835.5, 1670.5}},  /* datasheet "NVIDIA H200 Tensor Core GPU" */
    {"H200", {66.9, 494.7, 989.4, 1978.9}},      /* the same; digits from the H100 whitepaper, table 2 (same chip) */
    {"H100 PCIe", {51.2, 378.0, 756.0, 1513.0}}, /* H100 whitepaper, table 2 */
    {"H100 NVL", {60.0, 417.5, 835.5, 1670.5}},  /* datasheet "NVIDIA H100 Tensor Core GPU" */
    {"H100", {66.9, 494.7, 989.4, 1978.9}},      /* H100 whitepaper, table 2 */
    {"A100", {19.5, 156.0, 312.0, NAN}},         /* datasheet "NVIDIA A100 Tensor Core GPU" */
    {"A30", {10.3, 82.0, 165.0, NAN}},           /* datasheet "NVIDIA A30 Tensor Core GPU" */
    {"A40", {37.4, 74.8, 149.7, NAN}},           /* datasheet "NVIDIA A40" */
    {"A10", {31.2, 62.5, 125.0, NAN}},           /* datasheet "NVIDIA A10 Tensor Core GPU" */
    {"L40S", {91.6, 183.0, 362.0, 733.0}},       /* datasheet "NVIDIA L40S" */
    {"L40", {90.5, 90.5, 181.0, 362.0}},         /* datasheet "NVIDIA L40" */
    {"L4", {30.3, 60.0, 121.0, 242.5}},          /* datasheet "NVIDIA L4 Tensor Core GPU" */
    {"RTX A6000", {38.7, 77.4, 154.8, NAN}},     /* GA102 whitepaper, table 6 */
    {"RTX 4090", {82.6, 82.6, 165.2, 330.3}},    /* Ada whitepaper, appendix A */
    {"RTX 4080", {48.7, 48.7, 97.5, 194.9}},     /* Ada whitepaper, appendix A */
    {"RTX 3090", {35.6, 35.6, 71.0, NAN}},       /* GA102 whitepaper, table 2 */
    {"RTX 3080", {29.8, 29.8, 59.5, NAN}},       /* GA102 whitepaper, table 2 */
    {"RTX 2080 Ti", {13.4, NAN, 53.8, NAN}},     /* Turing whitepaper, table 1, reference clocks */
    {"V100-PCIE", {14.0, NAN, 112.0, NAN}},      /* datasheet "NVIDIA V100 Tensor Core GPU" */
    {"V100-SXM2", {15.7, NAN, 125.0, NAN}},      /* the same */
    {"T4", {8.1, NAN, 65.0, NAN}},               /* datasheet "NVIDIA T4" */
};

/* FP32 cores of one multiprocessor: CUDA C++ Programming Guide, "Arithmetic Instructions", 32-bit add and multiply. */
static int fp32_cores(int major, int minor) {
    if (major == 7 || (major == 8 && minor == 0))
        return 64;
    if (major == 8 || major == 9 || major == 10 || major == 12)
        return 128;
    return 0;
}

/* What makes another product of the same number: a "RTX 3080 Ti" is not a "RTX 3080". */
static int names_a_variant(const char *rest) {
    static const char *const marks[] = {" Ti", " SUPER", " Super", " D", " Laptop", " Max-Q", " Mobile"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t length = strlen(marks[i]);
        const char *at = strstr(rest, marks[i]);
        if (at && (at[length] == '\0' || at[length] == ' '))
            return 1;
    }
    return 0;
}

/* The name as whole words, so that "L4" is not found in "L40", nor "T4" in "GT430". */
static int names_chip(const char *text, const char *chip) {
    const size_t length = strlen(chip);
    for (const char *at = strstr(text, chip); at; at = strstr(at + 1, chip)) {
        const char before = at == text ? ' ' : at[-1], after = at[length];
        if ((before == ' ' || before == '-') && (after == '\0' || after == ' ' || after == '-'))
            return !names_a_variant(at + length);
    }
    return 0;
}

gpu_peaks gpu_peaks_of(const char *name, int major, int minor, int multiprocessors, double clock_mhz) {
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (names_chip(name, chips[i].name))
            return chips[i].peaks;
    gpu_peaks peaks = {NAN, NAN, NAN, NAN};
    const int cores = fp32_cores(major, minor);
    if (cores > 0 && multiprocessors > 0 && clock_mhz > 0.0)
        peaks.fp32 = 2.0 * cores * multiprocessors * clock_mhz * 1e6 / 1e12;
    return peaks;
}

double gpu_unit_peak(const gpu_peaks *peaks, gemm_unit unit) {
    switch (unit) {
    case GEMM_UNIT_FP32:
        return peaks->fp32;
    case GEMM_UNIT_TF32_TENSOR:
        return peaks->tf32_tensor;
    case GEMM_UNIT_FP16_TENSOR:
        return peaks->fp16_tensor;
    case GEMM_UNIT_FP8_TENSOR:
        return peaks->fp8_tensor;
    default:
        return NAN;
    }
}

double gpu_top_peak(const gpu_peaks *peaks, gemm_dtype dtype) {
    switch (dtype) {
    case GEMM_F32:
        return peaks->fp32; /* tensor cores would round float inputs to TF32 */
    case GEMM_TF32:
        return peaks->tf32_tensor;
    case GEMM_F16:
    case GEMM_BF16:
        return peaks->fp16_tensor;
    default:
        return peaks->fp8_tensor;
    }
}

/* ---- NVML, loaded at run time ------------------------------------------------------------------------------------ */

struct gpu_monitor {
    void *library, *device;
    int (*clock)(void *, int, unsigned *);
    int (*fields)(void *, int, void *);
    int (*temperature)(void *, int, unsigned *);
    int (*shutdown)(void);
    double clock_sum, power_sum, temperature_sum;
    int clock_count, power_count, temperature_count;
};

/* nvmlFieldValue_t of nvml.h. */
typedef struct {
    unsigned id, scope;
    long long timestamp_us, latency_us;
    int value_type, status;
    union {
        double f64;
        unsigned u32;
        unsigned long long u64;
    } value;
} field_value;

/* ISO C has no cast from object to function pointer; POSIX dlsym relies on this one. */
static int load(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void *open_nvml(void) {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void);
    if (library && load(library, "nvmlInit_v2", &init) && init() == 0)
        return library;
    if (library)
        dlclose(library);
    return NULL;
}

static void close_nvml(void *library) {
    int (*shutdown)(void);
    if (load(library, "nvmlShutdown", &shutdown))
        shutdown();
    dlclose(library);
}

static void format_version(char *out, size_t size, int version) {
    snprintf(out, size, "%d.%d", version / 1000, version % 1000 / 10);
}

static void driver_version(char *out, size_t size) {
    int (*query)(char *, unsigned);
    int version = 0;
    void *library = open_nvml();
    out[0] = '\0';
    if (library) {
        if (!load(library, "nvmlSystemGetDriverVersion", &query) || query(out, (unsigned)size) != 0)
            out[0] = '\0';
        close_nvml(library);
    }
    if (out[0] == '\0' && cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
        format_version(out, size, version);
}

gpu_monitor *gpu_monitor_open(const gpu_info *info) {
    gpu_monitor *m = calloc(1, sizeof *m);
    if (!m || info->is_cpu_device)
        return m;
    int device = 0;
    char bus_id[32];
    int (*by_bus)(const char *, void **);
    m->library = open_nvml();
    if (!m->library)
        return m;
    if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device) != cudaSuccess ||
        !load(m->library, "nvmlDeviceGetHandleByPciBusId_v2", &by_bus) || by_bus(bus_id, &m->device) != 0) {
        close_nvml(m->library);
        m->library = NULL;
        return m;
    }
    load(m->library, "nvmlDeviceGetClockInfo", &m->clock);
    load(m->library, "nvmlDeviceGetFieldValues", &m->fields);
    load(m->library, "nvmlDeviceGetTemperature", &m->temperature);
    return m;
}

void gpu_monitor_reset(gpu_monitor *m) {
    if (!m)
        return;
    m->clock_sum = m->power_sum = m->temperature_sum = 0.0;
    m->clock_count = m->power_count = m->temperature_count = 0;
}

void gpu_monitor_sample(gpu_monitor *m) {
    enum { NVML_CLOCK_SM = 1, NVML_TEMPERATURE_GPU = 0, NVML_FI_DEV_POWER_INSTANT = 186 }; /* nvml.h */
    unsigned value;
    if (!m || !m->library)
        return;
    if (m->clock && m->clock(m->device, NVML_CLOCK_SM, &value) == 0) {
        m->clock_sum += value;
        m->clock_count++;
    }
    /* Not nvmlDeviceGetPowerUsage: that is a mean over the last second, most of it before this kernel. */
    field_value power = {.id = NVML_FI_DEV_POWER_INSTANT};
    if (m->fields && m->fields(m->device, 1, &power) == 0 && power.status == 0) {
        m->power_sum += power.value.u32 / 1000.0; /* from milliwatts */
        m->power_count++;
    }
    if (m->temperature && m->temperature(m->device, NVML_TEMPERATURE_GPU, &value) == 0) {
        m->temperature_sum += value;
        m->temperature_count++;
    }
}

gpu_readings gpu_monitor_mean(const gpu_monitor *m) {
    gpu_readings r = {NAN, NAN, NAN};
    if (m && m->clock_count > 0)
        r.sm_clock_mhz = m->clock_sum / m->clock_count;
    if (m && m->power_count > 0)
        r.power_w = m->power_sum / m->power_count;
    if (m && m->temperature_count > 0)
        r.temperature_c = m->temperature_sum / m->temperature_count;
    return r;
}

void gpu_monitor_close(gpu_monitor *m) {
    if (m && m->library)
        close_nvml(m->library);
    free(m);
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

int gpu_describe(gpu_info *info, char *error, size_t error_size) {
    *info = (gpu_info){.clock_mhz = NAN};
    struct cudaDeviceProp properties;
    int device = 0, clock_khz = 0, runtime = 0, driver = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaGetDeviceProperties(&properties, device);
    cudaRuntimeGetVersion(&runtime);
    if (status != cudaSuccess) {
        cudaDriverGetVersion(&driver);
        snprintf(error, error_size,
                 "no usable GPU: %s (built with CUDA %d.%d; the driver supports up to %d.%d). "
                 "Build with `cmake --preset cpu` to run on the CPU device.",
                 cudaGetErrorString(status), runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
        return -1;
    }
#ifdef GEMM_CPU_DEVICE
    info->is_cpu_device = 1;
#endif
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, properties.name);
    info->major = properties.major;
    info->minor = properties.minor;
    info->multiprocessors = properties.multiProcessorCount;
    info->memory_bytes = properties.totalGlobalMem;
    if (cudaDeviceGetAttribute(&info->smem_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess)
        info->smem_bytes = 0;
    /* CUDA 13 took clockRate out of cudaDeviceProp; the attribute stayed. */
    if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device) == cudaSuccess && clock_khz > 0)
        info->clock_mhz = clock_khz / 1000.0;
    if (info->is_cpu_device) {
        info->peaks = (gpu_peaks){NAN, NAN, NAN, NAN};
        return 0;
    }
    info->peaks = gpu_peaks_of(info->name, info->major, info->minor, info->multiprocessors, info->clock_mhz);
    driver_version(info->driver, sizeof info->driver);
    format_version(info->toolkit, sizeof info->toolkit, runtime);
    return 0;
}

/* The oldest architecture, as in sm_75, whose tensor cores our instructions reach: PTX ISA, mma.sync, "Target ISA
 * Notes". 0: every one. */
static int oldest_sm(gemm_unit unit, gemm_dtype dtype) {
    switch (unit) {
    case GEMM_UNIT_TF32_TENSOR:
        return 80;
    case GEMM_UNIT_FP16_TENSOR:
        return dtype == GEMM_BF16 ? 80 : 75;
    case GEMM_UNIT_FP8_TENSOR:
        return 89;
    default:
        return 0;
    }
}

const char *gpu_lacks(const gpu_info *info, gemm_unit unit, gemm_dtype dtype, size_t smem_bytes, char *why,
                      size_t why_size) {
    const int sm = info->major * 10 + info->minor, oldest = oldest_sm(unit, dtype);
    if (!info->is_cpu_device && sm < oldest) {
        snprintf(why, why_size, "needs sm_%d for %s on tensor cores, this GPU is sm_%d", oldest, number_name(dtype),
                 sm);
        return why;
    }
    if (info->smem_bytes > 0 && smem_bytes > (size_t)info->smem_bytes) {
        snprintf(why, why_size, "needs %zu bytes of shared memory a block, this GPU has %d", smem_bytes,
                 info->smem_bytes);
        return why;
    }
    return NULL;
}

/* Blocks that fit on a multiprocessor; -1 when not known. Beyond 48 KiB the runtime tells no occupancy before the
 * kernel has opted in, which its launch does; until then it is left as it was, so that a launch that forgets to fails.
 */
static int blocks_of(const gemm_footprint *footprint, const struct cudaFuncAttributes *attributes) {
    const enum cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
    const int raised = footprint->dynamic_smem > (size_t)attributes->maxDynamicSharedSizeBytes;
    int blocks = 0;
    cudaError_t error = cudaSuccess;
    if (raised)
        error = cudaFuncSetAttribute(footprint->function, limit, (int)footprint->dynamic_smem);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, footprint->function, footprint->threads,
                                                              footprint->dynamic_smem);
    if (raised)
        cudaFuncSetAttribute(footprint->function, limit, attributes->maxDynamicSharedSizeBytes);
    cudaGetLastError(); /* more than there is: the launch will say so */
    return error == cudaSuccess ? blocks : -1;
}

gpu_usage gpu_usage_of(const gpu_info *info, const gemm_footprint *footprint) {
    gpu_usage usage = {NAN, NAN, NAN, NAN};
    struct cudaFuncAttributes attributes;
    int threads = 0, device = 0;
    if (info->is_cpu_device || !footprint->function)
        return usage;
    if (cudaFuncGetAttributes(&attributes, footprint->function) != cudaSuccess ||
        cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device) != cudaSuccess) {
        cudaGetLastError(); /* a kernel that cannot run says so when it is launched */
        return usage;
    }
    usage.registers = attributes.numRegs;
    usage.smem_bytes = (double)(attributes.sharedSizeBytes + footprint->dynamic_smem);
    usage.local_bytes = (double)attributes.localSizeBytes;
    const int blocks = blocks_of(footprint, &attributes);
    if (blocks >= 0 && threads > 0)
        usage.occupancy = (double)blocks * footprint->threads / threads;
    return usage;
}
