// Half precision against exact integer arithmetic. Built twice: with the processor's conversions and without.
#include <cuda_fp16.h>

#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

extern "C" {
#include <cmocka.h>
}

namespace {

constexpr unsigned CODES = 1u << 16;
constexpr unsigned INFINITY_CODE = 0x7c00;

bool is_nan_code(unsigned code) { return (code & 0x7fff) > INFINITY_CODE; }

// A finite half as a multiple of 2^-24, straight from the definition of the format. The code of infinity counts as
// 2^16, which is where the next step would lie.
int64_t half_in_units(unsigned code) {
    const int exponent = code >> 10 & 31;
    const int64_t mantissa = code & 0x3ff;
    const int64_t magnitude = exponent == 0 ? mantissa : (mantissa + 1024) << (exponent - 1);
    return code & 0x8000 ? -magnitude : magnitude;
}

// The half nearest to numerator * 2^-shift, ties to the even code. An exact zero gets the sign that is asked for.
unsigned nearest_half(__int128 numerator, int shift, bool negative_zero) {
    const bool negative = numerator < 0 || (numerator == 0 && negative_zero);
    const __int128 magnitude = numerator < 0 ? -numerator : numerator;
    const auto scaled = [=](unsigned code) { return static_cast<__int128>(half_in_units(code)) << (shift - 24); };
    unsigned low = 0, high = INFINITY_CODE; // scaled(low) <= magnitude < scaled(high), unless it overflows
    if (magnitude >= scaled(INFINITY_CODE))
        low = INFINITY_CODE;
    while (low < INFINITY_CODE && high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (scaled(middle) <= magnitude ? low : high) = middle;
    }
    unsigned code = low;
    if (low < INFINITY_CODE) {
        const __int128 below = magnitude - scaled(low), above = scaled(high) - magnitude;
        code = below < above || (below == above && low % 2 == 0) ? low : high;
    }
    return code | (negative ? 0x8000u : 0u);
}

// A finite float as an integer times 2^-149 would not fit; halves only need to be told apart down to 2^-26 or so, and
// what lies below that still counts as "a little more": a sticky bit.
unsigned nearest_half_to_float(float value) {
    constexpr int SHIFT = 60;
    const double scaled = std::ldexp(static_cast<double>(std::fabs(value)), SHIFT);
    __int128 magnitude = static_cast<__int128>(std::fmin(scaled, 0x1p100));
    if (static_cast<double>(magnitude) != std::fmin(scaled, 0x1p100))
        magnitude |= 1;
    return nearest_half(std::signbit(value) ? -magnitude : magnitude, SHIFT, std::signbit(value));
}

void expect_conversion(float value) {
    const unsigned expected = nearest_half_to_float(value);
    const unsigned hardware = cpu_device::half_from_float(value),
                   software = cpu_device::half_from_float_software(value);
    if (hardware != expected || software != expected)
        fail_msg("%a becomes 0x%04x (software 0x%04x), not 0x%04x", static_cast<double>(value), hardware, software,
                 expected);
}

void every_code_round_trips(void **) {
    for (unsigned code = 0; code < CODES; code++) {
        const float value = __half2float(__ushort_as_half(static_cast<unsigned short>(code)));
        const float software = cpu_device::float_from_half_software(static_cast<uint16_t>(code));
        assert_memory_equal(&value, &software, sizeof value);
        if (is_nan_code(code)) {
            assert_true(std::isnan(value));
            assert_int_equal(__half_as_ushort(__float2half(value)), code | 0x200);
            assert_int_equal(cpu_device::half_from_float_software(value), code | 0x200);
            continue;
        }
        if ((code & 0x7fff) == INFINITY_CODE)
            assert_true(std::isinf(value));
        else
            assert_true(static_cast<double>(value) == std::ldexp(static_cast<double>(half_in_units(code)), -24));
        assert_int_equal(std::signbit(value), code >> 15);
        assert_int_equal(__half_as_ushort(__float2half(value)), code);
        assert_int_equal(cpu_device::half_from_float_software(value), code);
    }
}

// Between any two neighbours: the middle, and the floats next to it.
void ties_go_to_even(void **) {
    for (unsigned code = 0; code < INFINITY_CODE; code++) {
        const float low = static_cast<float>(half_in_units(code)) * 0x1p-24f;
        const float high = static_cast<float>(half_in_units(code + 1)) * 0x1p-24f;
        const float middle = low + (high - low) / 2;
        for (const float value : {middle, std::nextafterf(middle, 0.0f), std::nextafterf(middle, 1e30f),
                                  std::nextafterf(low, 1e30f), std::nextafterf(high, 0.0f)}) {
            expect_conversion(value);
            expect_conversion(-value);
        }
    }
}

void limits(void **) {
    assert_int_equal(__half_as_ushort(__float2half(65504.0f)), 0x7bff);
    assert_int_equal(__half_as_ushort(__float2half(65519.996f)), 0x7bff);
    assert_int_equal(__half_as_ushort(__float2half(65520.0f)), 0x7c00);
    assert_int_equal(__half_as_ushort(__float2half(-1e30f)), 0xfc00);
    assert_int_equal(__half_as_ushort(__float2half(0x1p-24f)), 0x0001);
    assert_int_equal(__half_as_ushort(__float2half(0x1p-25f)), 0x0000);
    assert_int_equal(__half_as_ushort(__float2half(std::nextafterf(0x1p-25f, 1.0f))), 0x0001);
    assert_int_equal(__half_as_ushort(__float2half(-1e-40f)), 0x8000);
    assert_int_equal(__half_as_ushort(__float2half_rz(65535.0f)), 0x7bff);
    assert_int_equal(__half_as_ushort(__float2half_rz(std::nextafterf(1.0f, 0.0f))), 0x3bff);
    assert_int_equal(__half_as_ushort(__float2half_rz(std::nextafterf(-1.0f, 0.0f))), 0xbbff);
    assert_int_equal(__half_as_ushort(__float2half_rz(HUGE_VALF)), 0x7c00);
    // 2^-11 above 1 is a tie; in float the rest vanishes, so only a direct rounding from double sees it.
    assert_int_equal(__half_as_ushort(__double2half(1.0 + 0x1p-11 + 0x1p-40)), 0x3c01);
    assert_int_equal(__half_as_ushort(__double2half(1.0 + 0x1p-11)), 0x3c00);
    assert_int_equal(__half_as_ushort(__double2half(1.0 + 3 * 0x1p-11 - 0x1p-40)), 0x3c01);
    assert_int_equal(__half_as_ushort(__int2half_rn(2049)), 0x6800);
    assert_int_equal(__half2int_rz(__float2half(-2.5f)), -2);
    assert_int_equal(__half2int_rn(__float2half(2.5f)), 2);
}

uint32_t random_state = 1;
uint32_t random_bits() { // xorshift32, G. Marsaglia 2003
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

void random_floats(void **) {
    for (int i = 0; i < 200000; i++) {
        const float value = cpu_device::bit_cast<float>(random_bits());
        if (std::isnan(value)) {
            assert_int_equal(cpu_device::half_from_float(value), cpu_device::half_from_float_software(value));
            assert_true(is_nan_code(cpu_device::half_from_float(value)));
        } else {
            expect_conversion(value);
        }
    }
}

unsigned random_finite_code() {
    for (;;) {
        const unsigned code = random_bits() >> 8 & 0xffff;
        if ((code & 0x7fff) < INFINITY_CODE)
            return code;
    }
}

__half half_of(unsigned code) { return __ushort_as_half(static_cast<unsigned short>(code)); }

// Sums and products of halves are exact as multiples of 2^-48.
void arithmetic_rounds_once(void **) {
    for (int i = 0; i < 300000; i++) {
        const unsigned a = random_finite_code(), b = random_finite_code();
        unsigned c = random_finite_code();
        const __int128 product = static_cast<__int128>(half_in_units(a)) * half_in_units(b);
        if (i % 2 == 0) // an addend that puts the sum close to the middle between two halves
            c = nearest_half(product * 2047, 48, false) & 0xffff;
        if ((c & 0x7fff) >= INFINITY_CODE)
            continue;
        const __int128 unit = 1 << 24;
        const __int128 x = half_in_units(a) * unit, y = half_in_units(b) * unit, z = half_in_units(c) * unit;
        const bool negative_product = (a ^ b) >> 15;
        assert_int_equal(__half_as_ushort(half_of(a) + half_of(b)), nearest_half(x + y, 48, a >> 15 && b >> 15));
        assert_int_equal(__half_as_ushort(half_of(a) - half_of(b)), nearest_half(x - y, 48, a >> 15 && !(b >> 15)));
        assert_int_equal(__half_as_ushort(half_of(a) * half_of(b)), nearest_half(product, 48, negative_product));
        const unsigned fused = nearest_half(product + z, 48, negative_product && c >> 15);
        if (__half_as_ushort(__hfma(half_of(a), half_of(b), half_of(c))) != fused)
            fail_msg("fma of 0x%04x 0x%04x 0x%04x is 0x%04x, not 0x%04x", a, b, c,
                     __half_as_ushort(__hfma(half_of(a), half_of(b), half_of(c))), fused);
    }
    // The smallest error that two roundings make: 2048 + 1 is a tie, and 2^-48 decides it.
    const __half tiny = half_of(0x0001), large = __float2half(2048.0f), one = __float2half(1.0f);
    assert_int_equal(__half_as_ushort(__hfma(one, one, large)), 0x6800);
    assert_int_equal(__half_as_ushort(__hfma(half_of(0x3c01), half_of(0x3c01), __float2half(2048.0f))), 0x6801);
    assert_int_equal(__half_as_ushort(__hfma(tiny, tiny, half_of(0x7bff))), 0x7bff);
    assert_true(__hisnan(__hfma(half_of(INFINITY_CODE), tiny, half_of(0xfc00))));
    assert_int_equal(__hisinf(__hfma(half_of(0x7bff), half_of(0x7bff), tiny)), 1);
}

void comparisons_and_pairs(void **) {
    const __half one = __float2half(1.0f), two = __float2half(2.0f), nan = half_of(0x7e00);
    assert_true(one < two && two > one && one <= one && one >= one && one == one && one != two);
    assert_false(nan == nan || nan < one || nan > one || one <= nan);
    assert_true(nan != nan);
    assert_true(half_of(0x8000) == half_of(0x0000));
    assert_true(__hmax(nan, one) == one && __hmin(one, nan) == one && __hmax(one, two) == two &&
                __hmin(one, two) == one);

    __half2 pair = __floats2half2_rn(1.0f, 2.0f);
    assert_int_equal(sizeof pair, 4);
    assert_true(__low2float(pair) == 1.0f && __high2float(pair) == 2.0f);
    pair += __float2half2_rn(0.5f);
    const float2 both = __half22float2(__hfma2(pair, pair, __half2half2(one)));
    assert_true(both.x == 3.25f && both.y == 7.25f);
    assert_true(__low2half(-pair) == __float2half(-1.5f));
    assert_true(pair * pair / pair == pair && pair - pair == __halves2half2(half_of(0), half_of(0)));
    __half x = one;
    x += two;
    x *= two;
    x -= one;
    x /= __float2half(5.0f);
    assert_true(x == one);
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_round_trips),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(limits),
        cmocka_unit_test(random_floats),
        cmocka_unit_test(arithmetic_rounds_once),
        cmocka_unit_test(comparisons_and_pairs),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
