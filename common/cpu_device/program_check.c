#include "program_check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How an identifier must be used to be the one that is meant. */
enum use { ANYWHERE, CALLED, AS_TEMPLATE };

struct unsupported {
    const char *name; /* NAME, or a beginning followed by * */
    enum use use;
    const char *what, *reason, *instead;
};

#define LIBRARY "NVIDIA's libraries hold GPU code only"
#define OWN_KERNEL "write that part as a kernel, or check against a loop on the host"
#define TEXTURE "texture memory", "there is no texture unit here", "read from global memory through a pointer"
#define COOPERATIVE                                                                                                    \
    "a barrier over the whole grid", "blocks run one after another here", "end the kernel and launch a second one"
#define GRAPH "a CUDA graph", "streams run at once here and cannot be recorded", "launch the kernels one by one"
#define INTER_PROCESS "memory shared between processes", "device memory belongs to one process here", "use one process"
#define DRIVER "the driver API", "there is no driver here", "use the runtime API (cuda_runtime.h)"
#define OLD_WARP                                                                                                       \
    "a warp function without a mask", "CUDA itself has dropped them",                                                  \
        "use the one that ends in _sync, with the mask 0xffffffff"
#define ARRAY "a CUDA array", "there is no texture unit here", "use cudaMalloc or cudaMallocPitch"
#define POOL "a memory pool", "allocations here come from one arena", "use cudaMallocAsync without naming a pool"
#define CLUSTER "a thread block cluster", "blocks run one after another here", "use one block's shared memory"
#define NOT_YET_HERE "the CPU device does not emulate it yet"

static const struct unsupported identifiers[] = {
    {"asm", CALLED, "inline PTX", "the processor cannot run it",
     "write it in CUDA C, or guard it with #ifdef __CUDA_ARCH__"},
    {"__asm__", CALLED, "inline PTX", "the processor cannot run it",
     "write it in CUDA C, or guard it with #ifdef __CUDA_ARCH__"},
    {"texture", AS_TEMPLATE, TEXTURE},
    {"surface", AS_TEMPLATE, TEXTURE},
    {"tex1D*", ANYWHERE, TEXTURE},
    {"tex2D*", ANYWHERE, TEXTURE},
    {"tex3D*", ANYWHERE, TEXTURE},
    {"surf1D*", ANYWHERE, TEXTURE},
    {"surf2D*", ANYWHERE, TEXTURE},
    {"surf3D*", ANYWHERE, TEXTURE},
    {"cudaTextureObject_t", ANYWHERE, TEXTURE},
    {"cudaSurfaceObject_t", ANYWHERE, TEXTURE},
    {"cudaCreateTextureObject", ANYWHERE, TEXTURE},
    {"cudaBindTexture*", ANYWHERE, TEXTURE},
    {"cudaArray_t", ANYWHERE, ARRAY},
    {"cudaArray", ANYWHERE, ARRAY},
    {"cudaMallocArray", ANYWHERE, ARRAY},
    {"cudaMalloc3D*", ANYWHERE, "a three-dimensional allocation", "pitched rows are all that there is here",
     "use cudaMallocPitch with height times depth rows"},
    {"cudaMemcpy3D*", ANYWHERE, "a three-dimensional copy", "pitched rows are all that there is here",
     "use cudaMemcpy2D with height times depth rows"},
    {"cudaLaunchCooperativeKernel*", ANYWHERE, COOPERATIVE},
    {"this_grid", CALLED, COOPERATIVE},
    {"grid_group", ANYWHERE, COOPERATIVE},
    {"this_multi_grid", CALLED, COOPERATIVE},
    {"this_cluster", CALLED, CLUSTER},
    {"__cluster_dims__", ANYWHERE, CLUSTER},
    {"cudaLaunchKernelEx*", ANYWHERE, CLUSTER},
    {"coalesced_threads", CALLED, "a group of the threads that happen to be active",
     "threads do not run in lockstep here", "use tiled_partition<32>, or __ballot_sync before the branch"},
    {"__activemask", CALLED, "the mask of the threads that happen to be active", "threads do not run in lockstep here",
     "use __ballot_sync before the branch, and its mask in it"},
    {"coalesced_group", ANYWHERE, "a group of the threads that happen to be active",
     "threads do not run in lockstep here", "use tiled_partition<32>, or __ballot_sync before the branch"},
    {"labeled_partition", CALLED, "a partition by label", NOT_YET_HERE, "use __match_any_sync and a mask"},
    {"binary_partition", CALLED, "a partition by predicate", NOT_YET_HERE, "use __ballot_sync and a mask"},
    {"cudaGraph*", ANYWHERE, GRAPH},
    {"cudaStreamBeginCapture*", ANYWHERE, GRAPH},
    {"cudaIpc*", ANYWHERE, INTER_PROCESS},
    {"cudaGraphics*", ANYWHERE, "graphics interoperability", "there is no graphics context here",
     "copy the data to the host"},
    {"cudaImport*", ANYWHERE, "external memory", "there is no other device here", "copy the data to the host"},
    {"cudaMemPool*", ANYWHERE, POOL},
    {"cudaDeviceGetDefaultMemPool", ANYWHERE, POOL},
    {"cudaMallocFromPoolAsync", ANYWHERE, POOL},
    {"__shfl", CALLED, OLD_WARP},
    {"__shfl_up", CALLED, OLD_WARP},
    {"__shfl_down", CALLED, OLD_WARP},
    {"__shfl_xor", CALLED, OLD_WARP},
    {"__ballot", CALLED, OLD_WARP},
    {"__any", CALLED, OLD_WARP},
    {"__all", CALLED, OLD_WARP},
    {"cuInit", CALLED, DRIVER},
    {"cuDeviceGet*", CALLED, DRIVER},
    {"cuCtx*", CALLED, DRIVER},
    {"cuModule*", CALLED, DRIVER},
    {"cuLibrary*", CALLED, DRIVER},
    {"cuLaunchKernel*", CALLED, DRIVER},
    {"cuMemAlloc*", CALLED, DRIVER},
    {"cuMemcpy*", CALLED, DRIVER},
    {"cuMemFree*", CALLED, DRIVER},
    {"cuFunc*", CALLED, DRIVER},
    {"cuStream*", CALLED, DRIVER},
    {"cuEvent*", CALLED, DRIVER},
    {"cuTensorMap*", CALLED, DRIVER},
    {"CUtensorMap", ANYWHERE, DRIVER},
};

static const struct unsupported headers[] = {
    {"cublas*", ANYWHERE, "cuBLAS", LIBRARY, OWN_KERNEL},
    {"cusparse*", ANYWHERE, "cuSPARSE", LIBRARY, OWN_KERNEL},
    {"cusolver*", ANYWHERE, "cuSOLVER", LIBRARY, OWN_KERNEL},
    {"cudnn*", ANYWHERE, "cuDNN", LIBRARY, OWN_KERNEL},
    {"cufft*", ANYWHERE, "cuFFT", LIBRARY, OWN_KERNEL},
    {"curand*", ANYWHERE, "cuRAND", LIBRARY, "draw the numbers with a small generator of your own, such as an LCG"},
    {"thrust/*", ANYWHERE, "Thrust", LIBRARY, "use cudaMalloc and a kernel of your own"},
    {"cub/*", ANYWHERE, "CUB", LIBRARY, "write the block's part with shared memory or shuffles"},
    {"cutlass/*", ANYWHERE, "CUTLASS", LIBRARY, "write the kernel out"},
    {"cute/*", ANYWHERE, "CuTe", LIBRARY, "write the kernel out"},
    {"nccl.h", ANYWHERE, "NCCL", "there is one device here", "leave the communication out"},
    {"cuda/*", ANYWHERE, "libcu++", NOT_YET_HERE, "use __syncthreads and the atomic functions"},
    {"cuda_fp8.h*", ANYWHERE, "FP8", NOT_YET_HERE, "use float or half"},
    {"cooperative_groups/memcpy_async.h", ANYWHERE, "an asynchronous copy of a group", NOT_YET_HERE,
     "copy with the threads of the block and __syncthreads"},
    {"cooperative_groups/scan.h", ANYWHERE, "the scan of a group", NOT_YET_HERE, "scan with shfl_up"},
    {"nvToolsExt.h", ANYWHERE, "NVTX", "there is no profiler to read its marks", "leave the marks out"},
    {"nvtx3/*", ANYWHERE, "NVTX", "there is no profiler to read its marks", "leave the marks out"},
    {"nvrtc.h", ANYWHERE, "compilation at run time", "there is no PTX here", "put the kernel into the file"},
    {"cuda_gl_interop.h", ANYWHERE, "graphics interoperability", "there is no graphics context here",
     "copy the data to the host"},
    {"helper_cuda.h", ANYWHERE, "a header of NVIDIA's samples", "it is no part of CUDA",
     "check the returned cudaError_t with a macro of your own"},
    {"helper_functions.h", ANYWHERE, "a header of NVIDIA's samples", "it is no part of CUDA",
     "time with events and check with a loop of your own"},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool name_matches(const char *pattern, const char *name, size_t length) {
    size_t fixed = strlen(pattern);
    if (pattern[fixed - 1] != '*')
        return text_is(name, length, pattern);
    return length >= fixed - 1 && memcmp(pattern, name, fixed - 1) == 0;
}

/* `name` is what stands in the source. */
static bool unsupported_here(struct token_list *r, unsigned line, const struct unsupported *u, const char *name,
                             size_t length) {
    return token_fail(r, line, "%s (%.*s) is not supported on the CPU device: %s; %s", u->what, (int)length, name,
                      u->reason, u->instead);
}

static bool is_used_as(const struct token_list *r, size_t at, enum use use) {
    size_t before = previous_token(r, at), after = next_token(r, at);
    if (token_is(r, before, ".") || token_is(r, before, "->"))
        return false; /* a member of a struct that happens to have that name */
    switch (use) {
    case CALLED:
        return token_is(r, after, "(") || token_is(r, after, "volatile") || token_is(r, after, "__volatile__");
    case AS_TEMPLATE:
        return token_is(r, after, "<");
    case ANYWHERE:
        break;
    }
    return true;
}

static bool check_identifier(struct token_list *r, size_t at) {
    const struct token *t = &r->tokens[at];
    for (size_t i = 0; i < COUNT(identifiers); i++)
        if (name_matches(identifiers[i].name, r->source + t->start, t->length) && is_used_as(r, at, identifiers[i].use))
            return unsupported_here(r, t->line, &identifiers[i], r->source + t->start, t->length);
    return true;
}

/* Whether the declaration that ends in this brace says that its body is for the GPU alone. */
static bool opens_device_code(const struct token_list *r, size_t brace) {
    bool device = false;
    for (size_t i = previous_token(r, brace); i != NONE; i = previous_token(r, i)) {
        if (token_is(r, i, ";") || token_is(r, i, "{") || token_is(r, i, "}"))
            break;
        if (token_is(r, i, "__host__"))
            return false;
        device = device || token_is(r, i, "__global__") || token_is(r, i, "__device__");
    }
    return device;
}

static bool check_launch(struct token_list *r, size_t at) {
    static const struct unsupported nested = {"dynamic parallelism", ANYWHERE, "a launch inside a kernel",
                                              "only the host launches here", "launch both kernels from the host"};
    for (size_t brace = enclosing_brace(r, at); brace != NONE; brace = enclosing_brace(r, brace))
        if (opens_device_code(r, brace))
            return unsupported_here(r, r->tokens[at].line, &nested, nested.name, strlen(nested.name));
    return true;
}

static bool check_tokens(struct token_list *r, unsigned last_line) {
    for (size_t i = 0; i < r->token_count && r->tokens[i].line < last_line; i++) {
        const struct token *t = &r->tokens[i];
        if (t->excluded)
            continue;
        if (t->kind == IDENTIFIER && !check_identifier(r, i))
            return false;
        if (run_of(r, i, '<') == 3 && !check_launch(r, i))
            return false;
    }
    return true;
}

static bool is_own_header(const struct token_list *r, const struct include *header, const char *directory) {
    char path[4096];
    if (!header->quoted)
        return false;
    int length = snprintf(path, sizeof path, "%s/%.*s", directory, (int)header->length, r->source + header->start);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

static const struct unsupported *unsupported_header(const struct token_list *r, const struct include *header) {
    for (size_t i = 0; i < COUNT(headers); i++)
        if (name_matches(headers[i].name, r->source + header->start, header->length))
            return &headers[i];
    return NULL;
}

static bool check_everything(struct token_list *r, const char *directory) {
    for (size_t i = 0; i < r->include_count; i++) {
        const struct include *header = &r->includes[i];
        const struct unsupported *u = unsupported_header(r, header);
        if (u && !is_own_header(r, header, directory))
            return check_tokens(r, header->line) &&
                   unsupported_here(r, header->line, u, r->source + header->start, header->length);
    }
    return check_tokens(r, UINT32_MAX);
}

static bool has_main(const struct token_list *r) {
    for (size_t i = 0; i < r->token_count; i++)
        if (!r->tokens[i].excluded && token_is(r, i, "main") && token_is(r, next_token(r, i), "("))
            return true;
    return false;
}

static bool check(const char *source, size_t length, const char *directory, bool whole, struct rewrite_error *error) {
    struct token_list list = {.source = source, .length = length, .line = 1, .error = error};
    bool good = read_all_tokens(&list) && check_everything(&list, directory);
    if (good && whole && !has_main(&list))
        good = token_fail(&list, 0, "there is no main() in it; a program of its own is needed, not a kernel alone");
    free_tokens(&list);
    return good;
}

bool check_program(const char *source, size_t length, const char *directory, struct rewrite_error *error) {
    return check(source, length, directory, false, error);
}

bool check_whole_program(const char *source, size_t length, const char *directory, struct rewrite_error *error) {
    return check(source, length, directory, true, error);
}
