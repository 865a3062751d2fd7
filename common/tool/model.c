#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The GPUs ---- */

/* What a multiprocessor of each of them has: warp instructions and wavefronts (128 bytes of shared memory, or one line
 * of L1) a clock, and registers. Sources: below. */
enum { WARP_INSTRUCTIONS = 4, WAVEFRONTS = 1, REGISTERS = 64 << 10 };

/* Multiprocessors and memory: datasheets and the whitepapers of the architectures (H100, A100, GA102, Ada, Turing).
 * Clocks are the highest ones; where a datasheet gives none, that at which 2 * lanes * multiprocessors make its FP32
 * peak. FP32 lanes, threads, blocks, shared memory: CUDA C++ Programming Guide, "Arithmetic Instructions" and
 * "Technical Specifications per Compute Capability". Load/store units: the whitepapers' figures of a multiprocessor, 32
 * of them on GA100 and GH100, 16 elsewhere. L2: 5120 bytes a clock, of the A100 whitepaper, taken for Hopper, too: 10.1
 * TB/s at 1980 MHz, where the profiler's own peak on the H200 is 10.1 to 10.5 (plots/data/notes/log.md). The others'
 * are not published.
 *   Tensor cores: common/gpu.c's peaks for the types it has; the others from the same datasheets and whitepapers, with
 * sums in float. The ceiling of the H200: a loop of mma.sync m16n8k16 with operands in registers, burst
 * (plots/data/notes/log.md). */
static const gpu_model models[] = {
    {.name = "h200",
     .title = "NVIDIA H200",
     .slug = "nvidia-h200",
     .architecture = "sm_90a",
     .multiprocessors = 132,
     .clock_mhz = 1980,
     .fp32_lanes = 128,
     .tensor_tflops = 989.4,
     .tf32_tflops = 494.7,
     .mma_ceiling_tflops = 632,
     .memory_requests = 1,
     .l2_bytes_per_clock = 5120,
     .dram_gb_per_s = 4800,
     .shared_bytes = 228 << 10,
     .reserved_shared_bytes = 1024,
     .threads = 2048,
     .blocks = 32,
     .source = "datasheet NVIDIA H200 (SXM), H100 whitepaper"},
    {.name = "h100",
     .title = "NVIDIA H100 SXM",
     .slug = "nvidia-h100",
     .architecture = "sm_90a",
     .multiprocessors = 132,
     .clock_mhz = 1980,
     .fp32_lanes = 128,
     .tensor_tflops = 989.4,
     .tf32_tflops = 494.7,
     .mma_ceiling_tflops = NAN,
     .memory_requests = 1,
     .l2_bytes_per_clock = 5120,
     .dram_gb_per_s = 3350,
     .shared_bytes = 228 << 10,
     .reserved_shared_bytes = 1024,
     .threads = 2048,
     .blocks = 32,
     .source = "datasheet NVIDIA H100, H100 whitepaper"},
    {.name = "a100",
     .title = "NVIDIA A100 SXM 80 GB",
     .slug = "nvidia-a100",
     .architecture = "sm_80",
     .multiprocessors = 108,
     .clock_mhz = 1410,
     .fp32_lanes = 64,
     .tensor_tflops = 312,
     .tf32_tflops = 156,
     .mma_ceiling_tflops = NAN,
     .memory_requests = 1,
     .l2_bytes_per_clock = 5120,
     .dram_gb_per_s = 2039,
     .shared_bytes = 164 << 10,
     .reserved_shared_bytes = 1024,
     .threads = 2048,
     .blocks = 32,
     .source = "datasheet NVIDIA A100, A100 whitepaper"},
    {.name = "rtx4090",
     .title = "GeForce RTX 4090",
     .slug = "nvidia-geforce-rtx-4090",
     .architecture = "sm_89",
     .multiprocessors = 128,
     .clock_mhz = 2520,
     .fp32_lanes = 128,
     .tensor_tflops = 165.2,
     .tf32_tflops = 82.6,
     .mma_ceiling_tflops = NAN,
     .memory_requests = 0.5,
     .l2_bytes_per_clock = NAN,
     .dram_gb_per_s = 1008,
     .shared_bytes = 100 << 10,
     .reserved_shared_bytes = 1024,
     .threads = 1536,
     .blocks = 24,
     .source = "Ada whitepaper, appendix A"},
    {.name = "rtx3090",
     .title = "GeForce RTX 3090",
     .slug = "nvidia-geforce-rtx-3090",
     .architecture = "sm_86",
     .multiprocessors = 82,
     .clock_mhz = 1695,
     .fp32_lanes = 128,
     .tensor_tflops = 71,
     .tf32_tflops = 35.6,
     .mma_ceiling_tflops = NAN,
     .memory_requests = 0.5,
     .l2_bytes_per_clock = NAN,
     .dram_gb_per_s = 936,
     .shared_bytes = 100 << 10,
     .reserved_shared_bytes = 1024,
     .threads = 1536,
     .blocks = 16,
     .source = "GA102 whitepaper, table 2"},
    {.name = "t4",
     .title = "Tesla T4",
     .slug = "tesla-t4",
     .architecture = "sm_75",
     .multiprocessors = 40,
     .clock_mhz = 1590,
     .fp32_lanes = 64,
     .tensor_tflops = 65,
     .tf32_tflops = NAN,
     .mma_ceiling_tflops = NAN,
     .memory_requests = 0.5,
     .l2_bytes_per_clock = NAN,
     .dram_gb_per_s = 300,
     .shared_bytes = 64 << 10,
     .reserved_shared_bytes = 0,
     .threads = 1024,
     .blocks = 16,
     .source = "datasheet NVIDIA T4, Turing whitepaper"},
};

const gpu_model *gpu_model_find(const char *name, fault *f) {
    text_stream known;
    text_open(&known);
    const gpu_model *found = NULL;
    for (size_t i = 0; i < sizeof models / sizeof *models && !found; ++i) {
        fprintf(known.out, "%s%s", i ? ", " : "", models[i].name);
        if (strcmp(models[i].name, name) == 0)
            found = &models[i];
    }
    text_close(&known);
    if (!found)
        fault_set(f, "--gpu-model %.40s: not in the table; choose from %s", name, known.text);
    free(known.text);
    return found;
}

const char *model_limit_name(model_limit limit) {
    static const char *const names[LIMIT_COUNT] = {"tensor cores", "FP32", "issue", "L1 wavefronts",
                                                   "load/store",   "L2",   "DRAM"};
    return names[limit];
}

/* ---- What a launch asks for ---- */

static double sum_over_operations(const count_list *list, const count_row *launch, const char *space,
                                  const char *counter) {
    static const char *const operations[] = {"load", "store", "atomic"};
    double sum = 0;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
        char name[80];
        snprintf(name, sizeof name, "%s_%s_%s", space, operations[i], counter);
        sum += counts_a_launch(list, launch, name);
    }
    return sum;
}

enum { SECTOR = 32, LINE = 128 };

model_traffic model_traffic_of(const count_list *list, const count_row *launch) {
    return (model_traffic){
        .l1_bytes = LINE * (sum_over_operations(list, launch, "shared", "wavefronts") +
                            sum_over_operations(list, launch, "global", "cache_lines")) +
                    counts_a_launch(list, launch, "shared_async_bytes"),
        .l2_bytes = SECTOR * (counts_a_launch(list, launch, "block_sectors") +
                              counts_a_launch(list, launch, "global_load_l2_sectors")),
    };
}

typedef struct demand {
    double multiply_adds; /* of warps; an addition or a product alone takes as long */
    double tensor_flops, tensor_requests;
    double requests, wavefronts, l2_bytes, dram_bytes;
    double blocks; /* of one launch */
} demand;

static demand demand_of(const count_list *list, const count_row *launch, double scale,
                        const compiled_kernel *compiled) {
    enum { WARP = 32, SECTORS_OF_LOCAL_REQUEST = 4 };
    const model_traffic traffic = model_traffic_of(list, launch);
    const double cube = scale * scale * scale, square = scale * scale;
    const double spill_stores = isnan(compiled->local_stores) ? 0 : compiled->local_stores;
    const double spills = spill_stores + (isnan(compiled->local_loads) ? 0 : compiled->local_loads);
    demand d;
    d.multiply_adds = isnan(counts_total(list, launch, "flops"))
                          ? NAN /* nobody counted them */
                          : cube * counts_a_launch(list, launch, "flops") / 2 / WARP;
    d.tensor_flops = cube * counts_a_launch(list, launch, "tensor_flops");
    d.tensor_requests = cube * counts_a_launch(list, launch, "tensor_requests");
    d.requests = cube * (sum_over_operations(list, launch, "shared", "requests") +
                         sum_over_operations(list, launch, "global", "requests") + spills);
    d.wavefronts = cube * (traffic.l1_bytes / LINE + spills);
    /* L1 passes every store on, so spilled registers are written to L2; reading them again it may do without. */
    d.l2_bytes = cube * (traffic.l2_bytes + SECTOR * SECTORS_OF_LOCAL_REQUEST * spill_stores);
    d.dram_bytes = square * SECTOR * counts_a_launch(list, launch, "launch_sectors");
    d.blocks = square * counts_total(list, launch, "blocks");
    return d;
}

/* ---- Residency ---- */

/* Registers are handed out in steps of 8 a thread and 256 a warp, by each quarter of a multiprocessor to its own warps
 * (CUDA occupancy calculator: "warp allocation granularity" 4). */
static double blocks_by_registers(double registers, double threads) {
    if (isnan(registers))
        return INFINITY;
    const double a_warp = 32 * 8 * ceil(fmax(registers, 1) / 8);
    const double warps = 4 * floor(REGISTERS / 4 / a_warp);
    return floor(warps / ceil(threads / 32));
}

static double resident_blocks(const gpu_model *gpu, const count_list *list, const count_row *launch, double registers) {
    const double threads = counts_total(list, launch, "threads_per_block");
    const double fixed = counts_total(list, launch, "static_shared_bytes");
    const double dynamic = counts_total(list, launch, "dynamic_shared_bytes"); /* either may be missing */
    const double shared = (isnan(fixed) ? 0 : fixed) + (isnan(dynamic) ? 0 : dynamic);
    double blocks = fmin(gpu->blocks, floor(gpu->threads / (32 * ceil(threads / 32))));
    if (shared > 0)
        blocks = fmin(blocks, floor(gpu->shared_bytes / (shared + gpu->reserved_shared_bytes)));
    return fmin(blocks, blocks_by_registers(registers, threads));
}

/* ---- Tensor cores ---- */

static double tensor_peak(const gpu_model *gpu, const count_row *launch) {
    return 1e12 * (strcmp(launch->dtype, "tf32") == 0 ? gpu->tf32_tflops : gpu->tensor_tflops);
}

/* What the peak was for f16, scaled to the type. */
static double mma_ceiling(const gpu_model *gpu, const count_row *launch) {
    return gpu->mma_ceiling_tflops / gpu->tensor_tflops * tensor_peak(gpu, launch);
}

/* ---- The model ---- */

static double later(double a, double b) { return isnan(b) || a >= b ? a : b; }

/* The longest of those that are known. */
static void find_limit(model_result *r) {
    double longest = -1;
    for (int i = 0; i < LIMIT_COUNT; ++i)
        if (r->seconds[i] > longest) {
            longest = r->seconds[i];
            r->limit = (model_limit)i;
        }
}

model_result model_launch(const gpu_model *gpu, const count_list *list, const count_row *launch, double scale,
                          const compiled_kernel *compiled) {
    const demand d = demand_of(list, launch, scale, compiled);
    const double clock = gpu->clock_mhz * 1e6;
    const bool tensor = d.tensor_flops > 0;
    const double peak = tensor_peak(gpu, launch);
    model_result r = {.peak_flops = tensor ? peak : 2 * gpu->fp32_lanes * gpu->multiprocessors * clock};
    r.resident_blocks = resident_blocks(gpu, list, launch, compiled->registers);
    r.occupancy = r.resident_blocks * counts_total(list, launch, "threads_per_block") / gpu->threads;
    r.overlaps = r.resident_blocks >= 2 || counts_a_launch(list, launch, "shared_async_requests") > 0;
    /* The multiprocessor with the most blocks is the last to finish. */
    const double share = d.blocks > 0 ? ceil(d.blocks / gpu->multiprocessors) / d.blocks : 0;
    r.seconds[LIMIT_TENSOR] = tensor ? share * gpu->multiprocessors * d.tensor_flops / peak : 0;
    r.mma_ceiling_seconds = tensor ? share * gpu->multiprocessors * d.tensor_flops / mma_ceiling(gpu, launch) : NAN;
    r.seconds[LIMIT_FP32] = share * d.multiply_adds / (gpu->fp32_lanes / 32) / clock;
    r.seconds[LIMIT_ISSUE] = share * (d.multiply_adds + d.tensor_requests + d.requests) / WARP_INSTRUCTIONS / clock;
    r.seconds[LIMIT_REQUESTS] = share * d.requests / gpu->memory_requests / clock;
    r.seconds[LIMIT_L1] = share * d.wavefronts / WAVEFRONTS / clock;
    r.seconds[LIMIT_L2] = d.l2_bytes / (gpu->l2_bytes_per_clock * clock);
    r.seconds[LIMIT_DRAM] = d.dram_bytes / (gpu->dram_gb_per_s * 1e9);
    find_limit(&r);
    double computing = 0, fetching = 0;
    for (int i = 0; i < LIMIT_L2; ++i)
        computing = later(computing, r.seconds[i]);
    for (int i = LIMIT_L2; i < LIMIT_COUNT; ++i)
        fetching = later(fetching, r.seconds[i]);
    r.total_seconds = r.resident_blocks < 1 ? NAN : r.overlaps ? fmax(computing, fetching) : computing + fetching;
    return r;
}
