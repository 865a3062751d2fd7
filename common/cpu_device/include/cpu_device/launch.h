// The target of rewritten launches. cu2cpp turns
//     kernel<<<grid, block, shared, stream>>>(arguments)
// into
//     CPU_DEVICE_LAUNCH(kernel).configure(grid, block, shared, stream)(arguments)
#ifndef CPU_DEVICE_LAUNCH_H
#define CPU_DEVICE_LAUNCH_H

#include "block.h"
#include <cstddef>
#include <type_traits>
#include <utility>

namespace cpu_device {

// Stands for a literal 0 or NULL among the arguments: a null pointer constant stops being one once it is passed on
// through a deduced parameter, so it keeps its nature in this type until the kernel's own parameter is known.
struct Zero {
    template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_pointer_v<T>, int> = 0>
    constexpr operator T() const {
        return T();
    }
};

template <class T> constexpr T zero_as_int(T value) { return value; }
constexpr int zero_as_int(Zero) { return 0; }

// The arguments were evaluated once and copied by the caller; every thread gets copies of its own, as on a GPU.
template <class Kernel, class... Arguments>
cudaError_t run_grid(const cpu_device_launch_config &config, const Kernel &kernel, Arguments &...arguments) {
    auto thread = [kernel, arguments...] { kernel(arguments...); };
    return cpu_device_launch(
        &config, [](void *thread_) { (*static_cast<decltype(thread) *>(thread_))(); }, &thread, sizeof thread);
}

// A launch of a kernel whose address is known: arguments convert to its parameters as in an ordinary call.
// With fewer of them the default arguments stand in, which only a call by name has.
template <class Call, class... Parameters> struct AddressedLaunch {
    const Call &call;
    void (*kernel)(Parameters...);
    cpu_device_launch_config config;

    cudaError_t operator()(Parameters... arguments) { return run_grid(config, kernel, arguments...); }

    template <class... Arguments, std::enable_if_t<(sizeof...(Arguments) < sizeof...(Parameters)), int> = 0>
    cudaError_t operator()(Arguments... arguments) {
        return run_grid(config, call, arguments...);
    }
};

// A launch of a kernel template or an overload set: the arguments select the function.
// "... [with Arguments = {float*, int}]": overloads and instantiations have one name, and this beside it.
template <class... Arguments> const char *argument_types() { return __PRETTY_FUNCTION__; }

template <class Call, class Viable> struct DeducedLaunch {
    const Call &call;
    cpu_device_launch_config config;

    template <class... Arguments> cudaError_t operator()(Arguments... arguments) {
        if constexpr ((std::is_same_v<Arguments, Zero> || ...) &&
                      std::is_invocable_v<Viable, decltype(zero_as_int(arguments))...>)
            return run_with(zero_as_int(arguments)...);
        else
            return run_with(arguments...);
    }

  private:
    template <class... Arguments> cudaError_t run_with(Arguments... arguments) {
        config.argument_types = argument_types<Arguments...>();
        return run_grid(config, call, arguments...);
    }
};

// Selects the address of a kernel, where its name alone stands for one function. The unused argument of a dependent
// type makes the compiler look only when a launch is instantiated, and then a failure just rules this way out.
template <class Dependent, class... Parameters>
auto address_of(Dependent, void (*kernel)(Parameters...)) -> void (*)(Parameters...) {
    return kernel;
}

template <class Call, class... Parameters>
AddressedLaunch<Call, Parameters...> addressed_launch(const Call &call, void (*kernel)(Parameters...),
                                                      cpu_device_launch_config config) {
    config.kernel_function = reinterpret_cast<const void *>(kernel);
    return {call, kernel, config};
}

// cudaLaunchKernel: arguments by address.
template <class... Parameters, std::size_t... Index>
cudaError_t launch_with_pointers(void (*kernel)(Parameters...), cpu_device_launch_config config,
                                 [[maybe_unused]] void **arguments, std::index_sequence<Index...>) {
    config.kernel_function = reinterpret_cast<const void *>(kernel);
    config.kernel_name = "of cudaLaunchKernel";
    return run_grid(config, kernel, *static_cast<std::remove_reference_t<Parameters> *>(arguments[Index])...);
}

template <class Address, class Call, class Viable> struct Launch {
    const char *kernel_name, *file;
    unsigned line;
    Address address;
    Call call;
    Viable viable;

    auto configure(dim3 grid, dim3 block, std::size_t dynamic_shared_size = 0, cudaStream_t stream = nullptr) const {
        const cpu_device_launch_config config = {
            grid, block, dynamic_shared_size, stream, kernel_name, nullptr, nullptr, file, line};
        if constexpr (std::is_invocable_v<Address, int>)
            return addressed_launch(call, address(0), config);
        else
            return DeducedLaunch<Call, Viable>{call, config};
    }
};

template <class Address, class Call, class Viable>
Launch<Address, Call, Viable> make_launch(const char *kernel_name, const char *file, unsigned line, Address address,
                                          Call call, Viable viable) {
    return {kernel_name, file, line, address, call, viable};
}

// A mere call: no basic block of its own and no memory access, so the kernel's counts stay as they are. The compiler
// takes the arguments of __launch_bounds__ apart; the blocks of a multiprocessor and of a cluster are not needed.
__attribute__((always_inline)) inline void check_launch_bounds(unsigned max_threads, unsigned = 0, unsigned = 0) {
    cpu_device_check_launch_bounds(max_threads);
}

} // namespace cpu_device

// cu2cpp puts it at the beginning of a kernel's body.
#define CPU_DEVICE_LAUNCH_BOUNDS(...) ::cpu_device::check_launch_bounds(__VA_ARGS__)

// Variadic because the commas of template arguments separate macro arguments too.
#define CPU_DEVICE_LAUNCH(...)                                                                                         \
    ::cpu_device::make_launch(                                                                                         \
        #__VA_ARGS__, __FILE__, __LINE__,                                                                              \
        [&](auto dependent) -> decltype(::cpu_device::address_of(dependent, __VA_ARGS__)) {                            \
            return ::cpu_device::address_of(dependent, __VA_ARGS__);                                                   \
        },                                                                                                             \
        [&](auto... arguments) { (__VA_ARGS__)(arguments...); },                                                       \
        [&](auto... arguments) -> decltype((void)(__VA_ARGS__)(arguments...)) {})

#endif
