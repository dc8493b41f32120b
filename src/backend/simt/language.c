/* language.c: the prelude before the kernels. The first part is specific to a language: types, qualifiers, float bits;
 * the second is common: scalar functions that the generated text calls. */
#include "backend/simt/language.h"

#include "backend/simt/bulk.h"
#include "backend/simt/warpgroup.h"
#include "backend/simt/wgsl.h"

static const char opencl[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "typedef char i8; typedef uchar u8; typedef short i16; typedef ushort u16;\n"
    "typedef int i32; typedef uint u32; typedef long i64; typedef ulong u64;\n"
    "typedef float f32; typedef double f64;\n"
    "#define KERNEL __kernel\n"
    "#define GLOBAL __global\n"
    "#define RESTRICT restrict\n"
    "#define FN static inline\n"
    "#define CALLED static\n"
    "#define THREAD ((i64)get_global_id(0))\n"
    "#define THREADS ((i64)get_global_size(0))\n"
    "#define GROUPED __attribute__((reqd_work_group_size(256, 1, 1)))\n"
    "#define LOCAL __local\n"
    "#define SHARED(bytes) __local __attribute__((aligned(16))) uchar shared[bytes]\n"
    "#define SHARED_ARRAY(type, name, count) __local type name[count]\n"
    "#define TID ((i32)get_local_id(0))\n"
    "#define BLOCK ((i64)get_group_id(0))\n"
    "#define BLOCKS ((i64)get_num_groups(0))\n"
    "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#define START\n"
    "#define UNROLL\n#define UNROLL4\n#define NO_UNROLL\n"
    "#define COPY4(to, from, inside) (*(__local f32 *)(to) = (inside) ? *(from) : 0.0f)\n"
    "#define COPY_COMMIT\n#define COPY_WAIT(count)\n"
    "#define LOAD4(to, from) vstore4(vload4(0, from), 0, to)\n"
    "#define VECTOR(type, name, count) __attribute__((aligned(16))) type name[count]\n"
    "#define LOAD_16(to, from) vstore4(vload4(0, (__global const uint *)(from)), 0, (uint *)(to))\n"
    "#define LOAD_8(to, from) vstore2(vload2(0, (__global const uint *)(from)), 0, (uint *)(to))\n"
    "#define LOAD_4(to, from) (*(uint *)(to) = *(__global const uint *)(from))\n"
    "#define STORE_16(to, from) vstore4(vload4(0, (const uint *)(from)), 0, (__global uint *)(to))\n"
    "#define STORE_8(to, from) vstore2(vload2(0, (const uint *)(from)), 0, (__global uint *)(to))\n"
    "#define STORE_4(to, from) (*(__global uint *)(to) = *(const uint *)(from))\n"
    "#define f32_of as_float\n"
    "#define f64_of as_double\n"
    "#define bits_f32 as_uint\n"
    "#define bits_f64 as_ulong\n"
    "#define popcount32 popcount\n"
    "#define popcount64 popcount\n"
    "#define clz32 clz\n"
    "#define clz64 clz\n"
    "#define i64_mulhi mul_hi\n"
    "#define u64_mulhi mul_hi\n"
    "#define expf exp\n#define expm1f expm1\n#define logf log\n#define log1pf log1p\n#define sqrtf sqrt\n"
    "#define cbrtf cbrt\n#define sinf sin\n#define cosf cos\n#define tanf tan\n#define tanhf tanh\n"
    "#define ceilf ceil\n#define floorf floor\n#define roundf round\n#define rintf rint\n#define fabsf fabs\n"
    "#define acosf acos\n#define acoshf acosh\n#define asinf asin\n#define asinhf asinh\n#define atanf atan\n"
    "#define atanhf atanh\n#define coshf cosh\n#define sinhf sinh\n#define erff erf\n#define erfcf erfc\n"
    "#define fmodf fmod\n#define powf pow\n#define atan2f atan2\n#define fmaf fma\n#define ldexpf ldexp\n";

static const char cuda[] =
    "typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;\n"
    "typedef int i32; typedef unsigned int u32; typedef long i64; typedef unsigned long u64;\n"
    "typedef float f32; typedef double f64;\n"
    "#define KERNEL extern \"C\" __global__\n"
    "#define GLOBAL\n"
    "#define RESTRICT __restrict__\n"
    "#define FN static __device__ __forceinline__\n"
    "#define CALLED static __device__ __noinline__\n"
    "#define THREAD ((i64)blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define THREADS ((i64)gridDim.x * blockDim.x)\n"
    "#define GROUPED __launch_bounds__(256)\n"
    "#define GROUPED_BY(count) __launch_bounds__(256, count)\n"
    "#define LOCAL\n"
    "#define SHARED(bytes) extern __shared__ __align__(1024) u8 shared[]\n"
    "#define SHARED_ARRAY(type, name, count) __shared__ type name[count]\n"
    "#define TID ((i32)threadIdx.x)\n"
    "#define BLOCK ((i64)blockIdx.x)\n"
    "#define BLOCKS ((i64)gridDim.x)\n"
    "#define BARRIER __syncthreads()\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "/* Waits for the end of the kernel before: see launch_kernel. */\n"
    "#define START asm volatile(\"griddepcontrol.wait;\" ::: \"memory\")\n"
    "#else\n"
    "#define START\n"
    "#endif\n"
    "#define UNROLL _Pragma(\"unroll\")\n#define UNROLL4 _Pragma(\"unroll 4\")\n#define NO_UNROLL _Pragma(\"unroll 1\")\n"
    "#define COPY4(to, from, inside) copy(to, from, (inside) ? 4 : 0)\n"
    "#define COPY16(to, from, inside) copy16(to, from, (inside) ? 16 : 0)\n"
    "#define LOAD4(to, from) (*(float4 *)(to) = *(const float4 *)(from))\n"
    "#define VECTOR(type, name, count) __align__(16) type name[count]\n"
    "#define LOAD_16(to, from) (*(uint4 *)(to) = *(const uint4 *)(from))\n"
    "#define LOAD_8(to, from) (*(uint2 *)(to) = *(const uint2 *)(from))\n"
    "#define LOAD_4(to, from) (*(u32 *)(to) = *(const u32 *)(from))\n"
    "#define STORE_16 LOAD_16\n#define STORE_8 LOAD_8\n#define STORE_4 LOAD_4\n"
    "FN f32 f32_of(u32 x) { return __uint_as_float(x); }\n"
    "FN u32 bits_f32(f32 x) { return __float_as_uint(x); }\n"
    "FN f64 f64_of(u64 x) { return __longlong_as_double((long long)x); }\n"
    "FN u64 bits_f64(f64 x) { return (u64)__double_as_longlong(x); }\n"
    "#if __CUDA_ARCH__ >= 800\n"
    "#define OWN_BF16\n"
    "FN u32 bf16_bits(f32 x) {\n"
    "  u16 bits;\n"
    "  asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(x));\n"
    "  return bits;\n"
    "}\n"
    "#define OWN_MAX_f32\n"
    "FN f32 f32_max(f32 x, f32 y) {\n"
    "  f32 z;\n"
    "  asm(\"max.NaN.f32 %0, %1, %2;\" : \"=f\"(z) : \"f\"(x), \"f\"(y));\n"
    "  return z;\n"
    "}\n"
    "FN f32 f32_min(f32 x, f32 y) {\n"
    "  f32 z;\n"
    "  asm(\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(z) : \"f\"(x), \"f\"(y));\n"
    "  return z;\n"
    "}\n"
    "#endif\n"
    "FN i32 popcount32(u32 x) { return __popc(x); }\n"
    "FN i32 popcount64(u64 x) { return __popcll(x); }\n"
    "FN i32 clz32(u32 x) { return __clz((int)x); }\n"
    "FN i32 clz64(u64 x) { return __clzll((long long)x); }\n"
    "FN i64 i64_mulhi(i64 x, i64 y) { return __mul64hi(x, y); }\n"
    "FN u64 u64_mulhi(u64 x, u64 y) { return __umul64hi(x, y); }\n";

/* Asynchronous copies to shared memory, and tensor cores. */
static const char cuda_tiles[] =
    "FN u32 shared_at(const void *x) { return (u32)__cvta_generic_to_shared(x); }\n"
    "#if __CUDA_ARCH__ >= 800\n"
    "FN void copy(void *to, const void *from, u32 bytes) {\n"
    "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4, %2;\" ::\"r\"(shared_at(to)), \"l\"(from), \"r\"(bytes));\n"
    "}\n"
    "FN void copy16(void *to, const void *from, u32 bytes) {\n"
    "  asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16, %2;\" ::\"r\"(shared_at(to)), \"l\"(from), \"r\"(bytes));\n"
    "}\n"
    "#define COPY_COMMIT asm volatile(\"cp.async.commit_group;\")\n"
    "#define COPY_WAIT(count) asm volatile(\"cp.async.wait_group %0;\" ::\"n\"(count))\n"
    "FN u16 f16_bits(f32 x) {\n"
    "  u16 bits;\n"
    "  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(x));\n"
    "  return bits;\n"
    "}\n"
    "FN f32 f16_value(u16 bits) {\n"
    "  f32 x;\n"
    "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(bits));\n"
    "  return x;\n"
    "}\n"
    "#define LDMATRIX(name, how)                                                                                 \\\n"
    "  FN void name(u32 *x, const void *from) {                                                                  \\\n"
    "    asm volatile(\"ldmatrix.sync.aligned.m8n8.x4\" how \".shared.b16 {%0, %1, %2, %3}, [%4];\"              \\\n"
    "                 : \"=r\"(x[0]), \"=r\"(x[1]), \"=r\"(x[2]), \"=r\"(x[3])                                     \\\n"
    "                 : \"r\"(shared_at(from)));                                                                \\\n"
    "  }\n"
    "LDMATRIX(ldmatrix, \"\")\n"
    "LDMATRIX(ldmatrix_transposed, \".trans\")\n"
    "#define MMA(name, how)                                                                                      \\\n"
    "  FN void name(f32 *c, const u32 *a, u32 b0, u32 b1) {                                                      \\\n"
    "    asm(\"mma.sync.aligned.\" how \" {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\" \\\n"
    "                 : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3])                                     \\\n"
    "                 : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b0), \"r\"(b1));                 \\\n"
    "  }\n"
    "MMA(mma_bf16, \"m16n8k16.row.col.f32.bf16.bf16.f32\")\n"
    "MMA(mma_f16, \"m16n8k16.row.col.f32.f16.f16.f32\")\n"
    "MMA(mma_tf32, \"m16n8k8.row.col.f32.tf32.tf32.f32\")\n"
    "#else\n"
    "FN void copy(void *to, const void *from, u32 bytes) { *(u32 *)to = bytes ? *(const u32 *)from : 0; }\n"
    "#define COPY_COMMIT\n#define COPY_WAIT(count)\n"
    "#endif\n";

static const char integers[] =
    "/* x / 0 = -1, x % 0 = x, MIN / -1 = MIN, MIN % -1 = 0 */\n"
    "FN i64 i64_divide(i64 x, i64 y) { return y == 0 ? -1 : y == -1 ? (i64)(0ul - (u64)x) : x / y; }\n"
    "FN i64 i64_remainder(i64 x, i64 y) { return y == 0 ? x : y == -1 ? 0 : x % y; }\n"
    "FN u64 u64_divide(u64 x, u64 y) { return y == 0 ? ~0ul : x / y; }\n"
    "FN u64 u64_remainder(u64 x, u64 y) { return y == 0 ? x : x % y; }\n"
    "FN u64 u64_power(u64 x, u64 y) {\n"
    "  u64 result = 1;\n"
    "  for (; y; y >>= 1, x *= x)\n"
    "    if (y & 1) result *= x;\n"
    "  return result;\n"
    "}\n"
    "FN i64 i64_power(i64 x, i64 y) {\n"
    "  if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;\n"
    "  return (i64)u64_power((u64)x, (u64)y);\n"
    "}\n"
    "FN i64 shift_right(i64 x, u64 y, u32 bits) { return x >> (y < bits ? y : bits - 1); }\n";

#define FLOATS(F, U, I, top, mantissa, exponent)                                                                      \
  "FN " F " " F "_sign(" F                                                                                            \
  " x) { return x > 0 ? 1 : x < 0 ? -1 : x; }\n"                                                                      \
  "#ifndef OWN_MAX_" F                                                                                                \
  "\n"                                                                                                                \
  "FN " F " " F "_max(" F " x, " F                                                                                    \
  " y) {\n"                                                                                                           \
  "  if (x != x || y != y) return x != x ? x : y;\n"                                                                  \
  "  return x == y ? " F "_of(bits_" F "(x) & bits_" F                                                                \
  "(y)) : x > y ? x : y;\n"                                                                                           \
  "}\n"                                                                                                               \
  "FN " F " " F "_min(" F " x, " F                                                                                    \
  " y) {\n"                                                                                                           \
  "  if (x != x || y != y) return x != x ? x : y;\n"                                                                  \
  "  return x == y ? " F "_of(bits_" F "(x) | bits_" F                                                                \
  "(y)) : x < y ? x : y;\n"                                                                                           \
  "}\n"                                                                                                               \
  "#endif\n"                                                                                                          \
  "/* IEEE's total order as the order of integers */\n"                                                               \
  "FN " I " " F "_order(" F                                                                                           \
  " x) {\n"                                                                                                           \
  "  const " I " bits = (" I ")bits_" F                                                                               \
  "(x);\n"                                                                                                            \
  "  return bits ^ (" I ")((" U ")(bits >> " top                                                                      \
  ") >> 1);\n"                                                                                                        \
  "}\n"                                                                                                               \
  "/* toward zero; NaN is 0, what is too large the largest */\n"                                                      \
  "FN i64 " F "_to_i64(" F                                                                                            \
  " x, u32 bits) {\n"                                                                                                 \
  "  const i64 high = (i64)((1ul << (bits - 1)) - 1), low = -high - 1;\n"                                             \
  "  if (x != x) return 0;\n"                                                                                         \
  "  return x <= (" F ")low ? low : x >= -(" F                                                                        \
  ")low ? high : (i64)x;\n"                                                                                           \
  "}\n"                                                                                                               \
  "FN u64 " F "_to_u64(" F                                                                                            \
  " x, u32 bits) {\n"                                                                                                 \
  "  const u64 high = bits == 64 ? ~0ul : (1ul << bits) - 1;\n"                                                       \
  "  const " F " limit = 2 * (" F                                                                                     \
  ")(1ul << (bits - 1));\n"                                                                                           \
  "  return !(x > 0) ? 0 : x >= limit ? high : (u64)x;\n"                                                             \
  "}\n"                                                                                                               \
  "/* keeps so many bits of exponent and mantissa, rounding to even; too large becomes infinity, too small zero */\n" \
  "FN " F " " F "_reduce(" F                                                                                          \
  " x, i32 e, i32 m) {\n"                                                                                             \
  "  const " U " one = 1, bits = bits_" F "(x), fields = ((one << " exponent ") - 1) << " mantissa                    \
  ";\n"                                                                                                               \
  "  if (x != x) return m ? x : " F "_of(bits & ~((one << " mantissa                                                  \
  ") - 1));\n"                                                                                                        \
  "  " U                                                                                                              \
  " result = bits;\n"                                                                                                 \
  "  if (m < " mantissa                                                                                               \
  ") {\n"                                                                                                             \
  "    const i32 drop = " mantissa                                                                                    \
  " - m;\n"                                                                                                           \
  "    result = (bits + ((bits >> drop) & 1) + (one << (drop - 1)) - 1) & ~((one << drop) - 1);\n"                    \
  "  }\n"                                                                                                             \
  "  if (e < " exponent                                                                                               \
  ") {\n"                                                                                                             \
  "    const " U " own = (one << (" exponent                                                                          \
  " - 1)) - 1, bias = (one << (e - 1)) - 1, field = result & fields;\n"                                               \
  "    const " U " sign = result & (one << " top                                                                      \
  ");\n"                                                                                                              \
  "    if (field > (own + bias) << " mantissa                                                                         \
  ") result = sign | fields;\n"                                                                                       \
  "    if (field <= (own - bias) << " mantissa                                                                        \
  ") result = sign;\n"                                                                                                \
  "  }\n"                                                                                                             \
  "  return " F                                                                                                       \
  "_of(result);\n"                                                                                                    \
  "}\n"

static const char floats[] = FLOATS("f32", "u32", "i32", "31", "23", "8") FLOATS("f64", "u64", "i64", "63", "52", "11");

#define FORMAT "i32 e, i32 m, i32 bias, i32 inf, i32 nan, i32 fnuz, i32 sign"

static const char narrow[] =
    "/* to f32, inexact results with an odd last bit: rounding on to a narrower type then rounds once */\n"
    "FN f32 f32_odd(f64 x) {\n"
    "  const f32 near = (f32)x;\n"
    "  const f64 back = near;\n"
    "  if (back == x || x != x || back - back != 0) return near;\n"
    "  return f32_of((bits_f32(near) - (fabs(back) > fabs(x) ? 1 : 0)) | 1);\n"
    "}\n"
    "#ifndef OWN_BF16\n"
    "FN u32 bf16_bits(f32 x) {\n"
    "  const u32 bits = bits_f32(x);\n"
    "  if (x != x) return ((bits >> 16) & 0x8000u) | 0x7fc0u;\n"
    "  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;\n"
    "}\n"
    "#endif\n"
    "FN f32 bf16_round(f32 x) { return f32_of(bf16_bits(x) << 16); }\n"
    "/* Formats: bits of exponent and mantissa, bias, has infinity, has NaN, -0's pattern is NaN, has a sign */\n"
    "FN u32 narrow_max(" FORMAT
    ") {\n"
    "  const u32 all = (1u << (e + m)) - 1;\n"
    "  return inf ? (((1u << e) - 1) << m) - 1 : nan && !fnuz ? all - 1 : all;\n"
    "}\n"
    "FN u32 narrow_nan(" FORMAT
    ") {\n"
    "  return inf ? (1u << (e + m)) - (1u << (m - 1)) : fnuz ? 1u << (e + m) : (1u << (e + m)) - 1;\n"
    "}\n"
    "/* 2^n, of every n that a normal or subnormal f32 has */\n"
    "FN f32 two_to(i32 n) { return n < -126 ? f32_of(1u << (n + 149)) : f32_of((u32)(n + 127) << 23); }\n"
    "FN f32 narrow_decode(u32 bits, " FORMAT
    ") {\n"
    "  const u32 width = e + m, pattern = bits & ((1u << width) - 1), negative = sign ? bits >> width & 1 : 0;\n"
    "  const f32 none = f32_of(negative ? 0xffc00000u : 0x7fc00000u);\n"
    "  if (fnuz ? negative && !pattern : pattern > narrow_max(e, m, bias, inf, nan, fnuz, sign)) {\n"
    "    if (inf && !(pattern & ((1u << m) - 1))) return f32_of(negative ? 0xff800000u : 0x7f800000u);\n"
    "    return fnuz ? f32_of(0x7fc00000u) : none;\n"
    "  }\n"
    "  const i32 exponent = (i32)(pattern >> m);\n"
    "  const u32 mantissa = pattern & ((1u << m) - 1);\n"
    "  if (!sign) return two_to(exponent - bias);\n"
    "  const f32 value = exponent ? (f32)(mantissa | 1u << m) * two_to(exponent - bias - m)\n"
    "                             : (f32)mantissa * two_to(1 - bias - m);\n"
    "  return negative ? -value : value;\n"
    "}\n"
    "FN u32 narrow_encode(f32 x, " FORMAT
    ") {\n"
    "  const u32 width = e + m, bits = bits_f32(x), s = bits >> 31 && sign ? 1u << width : 0;\n"
    "  const u32 none = narrow_nan(e, m, bias, inf, nan, fnuz, sign), most = narrow_max(e, m, bias, inf, nan, fnuz, sign);\n"
    "  if (!sign && !(x > 0 && bits < 0x7f800000u)) return none;\n"
    "  if ((bits & 0x7fffffffu) > 0x7f800000u) return !nan ? (bits >> 31 ? 0 : 1u << width) : fnuz ? none : none | s;\n"
    "  const u32 over = inf ? ((1u << e) - 1) << m | s : !nan ? most | s : fnuz ? none : none | s;\n"
    "  if ((bits & 0x7fffffffu) == 0x7f800000u) return over;\n"
    "  if (!(bits & 0x7fffffffu)) return fnuz ? 0 : s;\n"
    "  const u32 own = bits >> 23 & 255;\n"
    "  u32 fraction = bits & 0x7fffffu;\n"
    "  i32 exponent = (i32)own - 127;\n"
    "  if (own)\n"
    "    fraction |= 0x800000u;\n"
    "  else\n"
    "    exponent = 8 - clz32(fraction) - 127, fraction <<= -126 - exponent;\n"
    "  const i32 least = sign ? 1 - bias : -bias, scale = exponent > least ? exponent : least;\n"
    "  /* the value is fraction * 2^(exponent - 23); wanted in units of 2^(scale - m) */\n"
    "  const i32 drop = 23 - m + (scale - exponent);\n"
    "  u32 units = 0;\n"
    "  if (drop <= 0)\n"
    "    units = fraction << -drop;\n"
    "  else if (drop < 26) {\n"
    "    const u32 rest = fraction & ((1u << drop) - 1), middle = 1u << (drop - 1);\n"
    "    units = fraction >> drop;\n"
    "    units += rest > middle || (rest == middle && (units & 1));\n"
    "  }\n"
    "  if (!sign) {\n"
    "    const i32 field = scale + bias + (units >= 2 ? 1 : 0);\n"
    "    return field > 254 || field < 0 ? over : (u32)field;\n"
    "  }\n"
    "  const u32 pattern = units < (1u << m) ? units : ((u32)(scale + bias) << m) + (units - (1u << m));\n"
    "  if (scale + bias > 300 || pattern > most) return over;\n"
    "  return !pattern && fnuz ? 0 : pattern | s;\n"
    "}\n"
    "FN f32 narrow_round(f32 x, " FORMAT
    ") {\n"
    "  return narrow_decode(narrow_encode(x, e, m, bias, inf, nan, fnuz, sign), e, m, bias, inf, nan, fnuz, sign);\n"
    "}\n";

void simt_prelude(simt_language language, ten_buf *out) {
  if (language == SIMT_WGSL) simt_wgsl_prelude(out);
  if (language == SIMT_HIP_C) simt_hip_prelude(out);
  if (language == SIMT_OPENCL_C) ten_buf_adds(out, opencl);
  if (language == SIMT_CUDA_C) {
    ten_buf_adds(out, cuda);
    ten_buf_adds(out, cuda_tiles);
    simt_warpgroup_prelude(out);
    simt_bulk_prelude(out);
  }
  ten_buf_adds(out, integers);
  ten_buf_adds(out, floats);
  ten_buf_adds(out, narrow);
}
