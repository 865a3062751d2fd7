/* The speed-of-light model against figures worked out by hand. */
#include "ceilings.h"
#include "model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const compiled_kernel unknown = {NAN, NAN, NAN};

static const gpu_model *gpu(const char *name) {
    fault f = {{0}};
    const gpu_model *found = gpu_model_find(name, &f);
    assert_non_null(found);
    return found;
}

enum { MAX_ROWS = 32 };

typedef struct launch {
    count_row rows[MAX_ROWS];
    size_t count;
} launch;

static void set(launch *l, const char *counter, double value) {
    for (size_t i = 0; i < l->count; ++i)
        if (strcmp(l->rows[i].counter, counter) == 0) {
            l->rows[i].value = value;
            return;
        }
    assert_true(l->count < MAX_ROWS);
    l->rows[l->count++] = (count_row){"01", "a", "f32", 64, 64, 64, "k", 0, counter, value};
}

/* 264 blocks: two for each multiprocessor of an H200, which so has twice the figures of one block to work off. */
static launch of_264_blocks(void) {
    launch l = {.count = 0};
    const double blocks = 264;
    set(&l, "blocks", blocks);
    set(&l, "threads_per_block", 256);
    set(&l, "static_shared_bytes", 8192);
    set(&l, "flops", blocks * 1000 * 32 * 2); /* 1000 multiply-adds of warps */
    set(&l, "shared_load_requests", blocks * 300);
    set(&l, "shared_store_requests", blocks * 100);
    set(&l, "shared_atomic_requests", blocks * 25);
    set(&l, "global_load_requests", blocks * 50);
    set(&l, "global_store_requests", blocks * 20);
    set(&l, "global_atomic_requests", blocks * 5);
    set(&l, "shared_load_wavefronts", blocks * 600);
    set(&l, "shared_store_wavefronts", blocks * 100);
    set(&l, "shared_atomic_wavefronts", blocks * 50);
    set(&l, "global_load_cache_lines", blocks * 150);
    set(&l, "global_store_cache_lines", blocks * 95);
    set(&l, "global_atomic_cache_lines", blocks * 5);
    set(&l, "block_sectors", 192000); /* 6.144 MB at 5120 bytes a clock: 1200 clocks */
    set(&l, "launch_sectors", 48000); /* 1.536 MB at 4.8 TB/s: 0.32 us */
    return l;
}

static model_result ask(const char *name, const launch *l, double scale, const compiled_kernel *compiled) {
    const count_list list = {.rows = (count_row *)l->rows, .count = l->count};
    return model_launch(gpu(name), &list, &list.rows[0], scale, compiled);
}

static void expect_seconds(double seconds, double expected) {
    if (fabs(seconds - expected) > 1e-12 + 1e-9 * expected)
        fail_msg("%.9g us, expected %.9g us", 1e6 * seconds, 1e6 * expected);
}
static void expect_clocks(double seconds, double clocks) { expect_seconds(seconds, clocks / 1980e6); }

static void each_resource_of_an_h200(void **state) {
    (void)state;
    const launch l = of_264_blocks();
    const model_result r = ask("h200", &l, 1, &unknown);
    expect_clocks(r.seconds[LIMIT_FP32], 2000.0 / 4);
    expect_clocks(r.seconds[LIMIT_ISSUE], (2000.0 + 1000) / 4);
    expect_clocks(r.seconds[LIMIT_REQUESTS], 1000);
    expect_clocks(r.seconds[LIMIT_L1], 2000);
    expect_clocks(r.seconds[LIMIT_L2], 1200);
    expect_seconds(r.seconds[LIMIT_DRAM], 0.32e-6);
    assert_int_equal(r.limit, LIMIT_L1);
    assert_true(r.resident_blocks == 8);
    assert_true(r.occupancy == 1);
    assert_true(r.overlaps);
    expect_clocks(r.total_seconds, 2000);
    assert_true(fabs(r.peak_flops / (2.0 * 128 * 132 * 1980e6) - 1) < 1e-12);
    assert_string_equal(model_limit_name(r.limit), "L1 wavefronts");
}

static void each_can_bind(void **state) {
    (void)state;
    static const struct {
        const char *counter;
        double value;
        model_limit limit;
    } cases[] = {
        {"flops", 264e6 * 64, LIMIT_ISSUE},        {"global_load_requests", 264e6, LIMIT_REQUESTS},
        {"shared_load_wavefronts", 1e9, LIMIT_L1}, {"block_sectors", 1e9, LIMIT_L2},
        {"launch_sectors", 1e9, LIMIT_DRAM},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        launch l = of_264_blocks();
        set(&l, cases[i].counter, cases[i].value);
        const model_result r = ask("h200", &l, 1, &unknown);
        assert_string_equal(model_limit_name(r.limit), model_limit_name(cases[i].limit));
        expect_seconds(r.total_seconds, r.seconds[cases[i].limit]);
    }
}

/* With 64 lanes they are busy for two clocks with what takes one to issue. */
static void arithmetic_can_bind(void **state) {
    (void)state;
    launch l = of_264_blocks();
    set(&l, "flops", 264e6 * 64);
    const model_result r = ask("a100", &l, 1, &unknown);
    assert_int_equal(r.limit, LIMIT_FP32);
    expect_seconds(r.total_seconds, 3e6 / 2 / 1410e6); /* three blocks on some of 108 multiprocessors */
}

/* Two blocks on each of 132 multiprocessors keep all tensor cores busy; FP32 has nothing of their operations. */
static void tensor_cores(void **state) {
    (void)state;
    launch l = of_264_blocks();
    assert_true(ask("h200", &l, 1, &unknown).seconds[LIMIT_TENSOR] == 0);
    assert_true(isnan(ask("h200", &l, 1, &unknown).mma_ceiling_seconds));
    set(&l, "tensor_flops", 264e9);
    set(&l, "tensor_requests", 264 * 4000);
    model_result r = ask("h200", &l, 1, &unknown);
    expect_seconds(r.seconds[LIMIT_TENSOR], 264e9 / 989.4e12);
    expect_seconds(r.mma_ceiling_seconds, 264e9 / 632e12);
    assert_int_equal(r.limit, LIMIT_TENSOR);
    assert_string_equal(model_limit_name(r.limit), "tensor cores");
    expect_seconds(r.total_seconds, 264e9 / 989.4e12);
    assert_true(r.peak_flops == 989.4e12);
    expect_clocks(r.seconds[LIMIT_FP32], 2000.0 / 4);
    expect_clocks(r.seconds[LIMIT_ISSUE], (2000.0 + 1000 + 8000) / 4); /* an mma takes an issue slot, too */
    expect_seconds(ask("h200", &l, 2, &unknown).seconds[LIMIT_TENSOR], 8 * 264e9 / 989.4e12);
    set(&l, "blocks", 133); /* one multiprocessor has two, the others wait for it */
    expect_seconds(ask("h200", &l, 1, &unknown).seconds[LIMIT_TENSOR], 264e9 / 989.4e12 * 264 / 133);
    set(&l, "blocks", 264);
    r = ask("h100", &l, 1, &unknown);
    expect_seconds(r.seconds[LIMIT_TENSOR], 264e9 / 989.4e12);
    assert_true(isnan(r.mma_ceiling_seconds)); /* nobody measured */
    for (size_t i = 0; i < l.count; ++i)
        l.rows[i].dtype = "tf32";
    r = ask("h200", &l, 1, &unknown);
    expect_seconds(r.seconds[LIMIT_TENSOR], 264e9 / 494.7e12);
    expect_seconds(r.mma_ceiling_seconds, 264e9 / 316e12);
    r = ask("t4", &l, 1, &unknown);
    assert_true(isnan(r.seconds[LIMIT_TENSOR])); /* it has no TF32 */
    assert_int_not_equal(r.limit, LIMIT_TENSOR);
}

/* Past L1 every copy is asked of L2, and takes the time of its bytes, however many wavefronts it is said to have. */
static void copies_past_l1(void **state) {
    (void)state;
    launch l = of_264_blocks();
    set(&l, "global_load_l2_sectors", 96000);
    set(&l, "shared_async_requests", 264e6);
    set(&l, "shared_async_bytes", 264 * 150 * 128);
    set(&l, "shared_async_wavefronts", 264 * 400);
    const model_result r = ask("h200", &l, 1, &unknown);
    expect_clocks(r.seconds[LIMIT_L2], 1800);
    expect_clocks(r.seconds[LIMIT_REQUESTS], 1000); /* they are requests of global memory already */
    expect_clocks(r.seconds[LIMIT_L1], 2300);
    set(&l, "dynamic_shared_bytes", 120000); /* one block; what it fetches may run ahead of what it computes */
    expect_clocks(ask("h200", &l, 1, &unknown).total_seconds, 2300);
}

static void one_resident_block_does_not_overlap(void **state) {
    (void)state;
    launch l = of_264_blocks();
    set(&l, "dynamic_shared_bytes", 120000);
    const model_result r = ask("h200", &l, 1, &unknown);
    assert_true(r.resident_blocks == 1);
    assert_true(r.occupancy == 0.125);
    assert_false(r.overlaps);
    expect_clocks(r.total_seconds, 2000 + 1200);
    assert_int_equal(r.limit, LIMIT_L1);
}

static double resident(const char *name, double threads, double shared, double registers) {
    launch l = of_264_blocks();
    const compiled_kernel compiled = {registers, NAN, NAN};
    set(&l, "threads_per_block", threads);
    set(&l, "static_shared_bytes", 0);
    set(&l, "dynamic_shared_bytes", shared);
    return ask(name, &l, 1, &compiled).resident_blocks;
}

static void residency(void **state) {
    (void)state;
    assert_true(resident("h200", 1024, 0, NAN) == 2);
    assert_true(resident("h200", 96, 0, NAN) == 21);
    assert_true(resident("h200", 33, 0, NAN) == 32); /* 2 warps each; 32 blocks at most */
    assert_true(resident("rtx4090", 64, 0, NAN) == 24);
    assert_true(resident("t4", 512, 0, NAN) == 2);
    /* 228 KiB, and each block costs 1 KiB more. */
    assert_true(resident("h200", 128, 115712, NAN) == 2);
    assert_true(resident("h200", 128, 115713, NAN) == 1);
    assert_true(resident("h200", 128, 227 << 10, NAN) == 1);
    assert_true(resident("t4", 128, 32 << 10, NAN) == 2); /* no such cost before Ampere */
    /* Registers go in steps of 8 a thread, and each quarter of a multiprocessor has its own. */
    assert_true(resident("h200", 256, 0, 128) == 2);
    assert_true(resident("h200", 256, 0, 129) == 1);
    assert_true(resident("h200", 256, 0, 32) == 8);
    assert_true(resident("h200", 256, 0, 40) == 6);
    assert_true(resident("h200", 256, 0, 255) == 1);
    assert_true(resident("h200", 224, 0, 96) == 2); /* 5 warps in each quarter are 20; of 7 warps, two blocks */
}

static void blocks_that_do_not_fill_a_wave(void **state) {
    (void)state;
    launch l = of_264_blocks();
    set(&l, "blocks", 133); /* one multiprocessor has two */
    expect_clocks(ask("h200", &l, 1, &unknown).seconds[LIMIT_FP32], 264000.0 / 133 * 2 / 4);
    set(&l, "blocks", 1);
    expect_clocks(ask("h200", &l, 1, &unknown).seconds[LIMIT_FP32], 264000.0 / 4);
}

static void scale(void **state) {
    (void)state;
    const launch l = of_264_blocks();
    const model_result r = ask("h200", &l, 2, &unknown); /* 1056 blocks, eight for each multiprocessor */
    expect_clocks(r.seconds[LIMIT_FP32], 8 * 500);
    expect_clocks(r.seconds[LIMIT_L1], 8 * 2000);
    expect_clocks(r.seconds[LIMIT_L2], 8 * 1200);
    expect_seconds(r.seconds[LIMIT_DRAM], 4 * 0.32e-6);
}

static void spilled_registers(void **state) {
    (void)state;
    const launch l = of_264_blocks();
    const compiled_kernel compiled = {NAN, 264 * 100, 264 * 50};
    const model_result r = ask("h200", &l, 1, &compiled);
    expect_clocks(r.seconds[LIMIT_REQUESTS], 1300);
    expect_clocks(r.seconds[LIMIT_L1], 2300);
    expect_clocks(r.seconds[LIMIT_L2], 1200 + 264 * 50 * 4 * 32.0 / 5120);
}

static void an_unknown_rate_never_binds(void **state) {
    (void)state;
    static const char *const names[] = {"t4", "rtx4090", "rtx3090"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        launch l = of_264_blocks();
        set(&l, "block_sectors", 1e12);
        for (int alone = 0; alone <= 1; ++alone) {
            const compiled_kernel compiled = {alone ? 255 : NAN, NAN, NAN};
            const model_result r = ask(names[i], &l, 1, &compiled);
            assert_true(isnan(r.seconds[LIMIT_L2]));
            assert_int_not_equal(r.limit, LIMIT_L2);
            assert_int_equal(r.overlaps, !alone);
            expect_seconds(r.total_seconds, alone ? r.seconds[LIMIT_L1] + r.seconds[LIMIT_DRAM]
                                                  : fmax(r.seconds[LIMIT_L1], r.seconds[LIMIT_DRAM]));
        }
    }
    /* 264 blocks on 40 multiprocessors: seven on the last to finish. */
    const launch l = of_264_blocks();
    const model_result r = ask("t4", &l, 1, &unknown);
    expect_seconds(r.seconds[LIMIT_FP32], 7 * 1000 / 2.0 / 1590e6);
    expect_seconds(r.seconds[LIMIT_REQUESTS], 7 * 500 / 0.5 / 1590e6);
}

static void what_nobody_counted_is_not_known(void **state) {
    (void)state;
    launch l = of_264_blocks();
    for (size_t i = 0; i < l.count; ++i)
        if (strcmp(l.rows[i].counter, "flops") == 0)
            l.rows[i].counter = "lanes";
    const model_result r = ask("h200", &l, 1, &unknown);
    assert_true(isnan(r.seconds[LIMIT_FP32]) && isnan(r.seconds[LIMIT_ISSUE]));
    assert_int_equal(r.limit, LIMIT_L1);
    assert_true(r.total_seconds > 0);
}

static void a_block_too_large_has_no_time(void **state) {
    (void)state;
    launch l = of_264_blocks();
    set(&l, "static_shared_bytes", 300 << 10);
    const model_result r = ask("h200", &l, 1, &unknown);
    assert_true(r.resident_blocks == 0);
    assert_true(isnan(r.total_seconds));
}

/* Ten launches counted together are ten times one. */
static void several_launches_are_one_on_the_average(void **state) {
    (void)state;
    launch one = of_264_blocks(), ten = of_264_blocks();
    for (size_t i = 0; i < ten.count; ++i)
        if (strcmp(ten.rows[i].counter, "blocks") && strcmp(ten.rows[i].counter, "threads_per_block") &&
            strcmp(ten.rows[i].counter, "static_shared_bytes"))
            ten.rows[i].value *= 10;
    set(&ten, "launches", 10);
    const model_result a = ask("h200", &one, 1, &unknown), b = ask("h200", &ten, 1, &unknown);
    for (int i = 0; i < LIMIT_COUNT; ++i)
        expect_seconds(b.seconds[i], a.seconds[i]);
}

static void names(void **state) {
    (void)state;
    fault f = {{0}};
    assert_null(gpu_model_find("gtx", &f));
    assert_non_null(strstr(f.text, "--gpu-model gtx"));
    assert_non_null(strstr(f.text, "choose from h200, h100, a100, rtx4090, rtx3090, t4"));
    assert_string_equal(gpu("a100")->name, "a100");
}

/* The figures of of_264_blocks, and a copy past L1. */
static void traffic(void **state) {
    (void)state;
    launch l = of_264_blocks();
    count_list list = {.rows = l.rows, .count = l.count};
    assert_true(fabs(model_traffic_of(&list, &l.rows[0]).l1_bytes - 264 * 1000 * 128.0) < 0.5);
    assert_true(fabs(model_traffic_of(&list, &l.rows[0]).l2_bytes - 192000 * 32.0) < 0.5);
    set(&l, "shared_async_bytes", 264 * 7 * 128);
    set(&l, "shared_async_wavefronts", 264 * 18);
    set(&l, "global_load_l2_sectors", 1000);
    set(&l, "launches", 2);
    list.count = l.count;
    assert_true(fabs(model_traffic_of(&list, &l.rows[0]).l1_bytes - 264 * 1007 * 128.0 / 2) < 0.5);
    assert_true(fabs(model_traffic_of(&list, &l.rows[0]).l2_bytes - 193000 * 32.0 / 2) < 0.5);
}

/* The roofline's file and the model's table say the same of the H200. */
static void ceilings_are_the_models(void **state) {
    (void)state;
    ceiling_list list;
    fault f = {{0}};
    if (ceilings_read(REPOSITORY "/plots/data/ceilings.csv", &list, &f) != 0)
        fail_msg("%s", f.text);
    const gpu_model *h200 = gpu("h200");
    const double clock = h200->clock_mhz * 1e6 / 1e12;
    double peak = 0, measured = 0, fp32 = 0, l1 = 0, l2 = 0;
    for (size_t i = 0; i < list.count; ++i) {
        const ceiling *c = &list.rows[i];
        if (!ceiling_applies(c, "nvidia-h200", "f16"))
            continue;
        if (strcmp(c->level, "tensor") == 0)
            *(peak > 0 ? &measured : &peak) = c->value;
        if (strcmp(c->level, "fp32") == 0)
            fp32 = fmax(fp32, c->value);
        if (strcmp(c->level, "l1") == 0)
            l1 = c->value;
        if (strcmp(c->level, "l2") == 0)
            l2 = c->value;
    }
    assert_true(fabs(peak - h200->tensor_tflops) < 0.05);
    assert_true(fabs(measured - h200->mma_ceiling_tflops) < 0.5);
    assert_true(fabs(fp32 - 2 * h200->fp32_lanes * h200->multiprocessors * clock) < 0.05);
    assert_true(fabs(l1 - 128 * h200->multiprocessors * clock) < 0.005);
    assert_true(fabs(l2 - h200->l2_bytes_per_clock * clock) < 0.005);
    ceilings_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_resource_of_an_h200),
        cmocka_unit_test(each_can_bind),
        cmocka_unit_test(arithmetic_can_bind),
        cmocka_unit_test(tensor_cores),
        cmocka_unit_test(copies_past_l1),
        cmocka_unit_test(one_resident_block_does_not_overlap),
        cmocka_unit_test(residency),
        cmocka_unit_test(blocks_that_do_not_fill_a_wave),
        cmocka_unit_test(scale),
        cmocka_unit_test(spilled_registers),
        cmocka_unit_test(an_unknown_rate_never_binds),
        cmocka_unit_test(what_nobody_counted_is_not_known),
        cmocka_unit_test(a_block_too_large_has_no_time),
        cmocka_unit_test(several_launches_are_one_on_the_average),
        cmocka_unit_test(names),
        cmocka_unit_test(traffic),
        cmocka_unit_test(ceilings_are_the_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
