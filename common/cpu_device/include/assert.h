/*
 * The system's <assert.h>, but an assertion that fails inside a kernel fails the launch, as on a GPU, instead of ending
 * the process. No include guard: NDEBUG may change from one inclusion to the next.
 */
#include_next <assert.h>

#if defined(__cplusplus) && !defined(NDEBUG)
#include "cpu_device/block.h"
#undef assert
#define assert(...)                                                                                                    \
    (static_cast<bool>(__VA_ARGS__) ? static_cast<void>(0)                                                             \
                                    : cpu_device_assertion_failed(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#endif
