/* functions.hpp: functions of networks for C++17: convolutions, attention, norms, pooling, losses, and any other
 * operation by name. Part of tenfold.hpp, which includes it. */
#ifndef TENFOLD_FUNCTIONS_HPP
#define TENFOLD_FUNCTIONS_HPP

#include <deque>
#include <optional>

#include "tenfold/tenfold.hpp"

namespace tenfold {

using Sizes = std::vector<int64_t>;

/* An operation of PyTorch's ATen library by name, argument by argument, with the names of its schema:
 *   Operation("cumsum").array("self", x).integer("dim", 0).result()
 * Arguments that are not given take their defaults. */
class Operation {
 public:
  explicit Operation(std::string name) : name_(std::move(name)) {}
  /* The device, where no argument is an array. */
  Operation &on(const Device &device) {
    device_ = device.handle();
    return *this;
  }
  Operation &array(const char *name, const Tensor &x) {
    add(name, TEN_ARG_ARRAY).array = hold(x);
    return *this;
  }
  Operation &array(const char *name, const std::optional<Tensor> &x) {
    if (x) return array(name, *x);
    add(name, TEN_ARG_NONE);
    return *this;
  }
  Operation &arrays(const char *name, const std::vector<Tensor> &all) {
    std::vector<ten_array *> &handles = handles_.emplace_back();
    for (const Tensor &x : all) handles.push_back(hold(x));
    ten_argument &argument = add(name, TEN_ARG_ARRAYS);
    argument.count = handles.size();
    argument.arrays = handles.data();
    return *this;
  }
  Operation &flag(const char *name, bool value) {
    add(name, TEN_ARG_BOOL).integer = value;
    return *this;
  }
  Operation &integer(const char *name, int64_t value) {
    add(name, TEN_ARG_INT).integer = value;
    return *this;
  }
  Operation &real(const char *name, double value) {
    add(name, TEN_ARG_FLOAT).real = value;
    return *this;
  }
  Operation &sizes(const char *name, const Sizes &values) {
    const Sizes &own = sizes_.emplace_back(values);
    ten_argument &argument = add(name, TEN_ARG_INTS);
    argument.count = own.size();
    argument.ints = own.data();
    return *this;
  }
  Operation &type(const char *name, DataType dtype) {
    add(name, TEN_ARG_DTYPE).integer = static_cast<int64_t>(dtype);
    return *this;
  }
  Operation &text(const char *name, const std::string &value) {
    add(name, TEN_ARG_STRING).text = texts_.emplace_back(value).c_str();
    return *this;
  }
  std::vector<Tensor> results(std::size_t count) const {
    if (!device_) throw Error(TEN_INVALID, name_ + ": no argument is an array, and no device is given: on(device)");
    std::vector<ten_array *> made(count);
    check(ten_array_op(device_, name_.c_str(), arguments_.data(), arguments_.size(), made.data(), count));
    std::vector<Tensor> out;
    for (ten_array *array : made) out.push_back(Tensor::adopt(array));
    return out;
  }
  Tensor result() const { return results(1)[0]; }

 private:
  ten_argument &add(const char *name, ten_argument_kind kind) {
    ten_argument argument = {};
    argument.name = names_.emplace_back(name).c_str();
    argument.kind = kind;
    return arguments_.emplace_back(argument);
  }
  ten_array *hold(const Tensor &x) {
    if (!device_) device_ = ten_array_device(x.handle());
    return held_.emplace_back(x).handle();
  }
  std::string name_;
  ten_device *device_ = nullptr;
  std::vector<ten_argument> arguments_;
  /* What the arguments point to; a deque does not move its items. */
  std::deque<std::string> names_, texts_;
  std::deque<Sizes> sizes_;
  std::deque<Tensor> held_;
  std::deque<std::vector<ten_array *>> handles_;
};

/* ---- shapes ---- */
inline Tensor concat(const std::vector<Tensor> &parts, int64_t dim = 0) {
  return Operation("cat").arrays("tensors", parts).integer("dim", dim).result();
}
inline Tensor permute(const Tensor &x, const Sizes &order) {
  return Operation("permute").array("self", x).sizes("dims", order).result();
}
inline Tensor transpose(const Tensor &x, int64_t first = -2, int64_t second = -1) {
  return Operation("transpose").array("self", x).integer("dim0", first).integer("dim1", second).result();
}
inline Tensor sum(const Tensor &x, const Sizes &dims, bool keep = false) {
  return x.reduce("sum.dim_IntList", dims, keep);
}
inline Tensor mean(const Tensor &x, const Sizes &dims, bool keep = false) { return x.reduce("mean.dim", dims, keep); }

/* ---- activations ---- */
inline Tensor sigmoid(const Tensor &x) { return x.unary("sigmoid"); }
inline Tensor silu(const Tensor &x) { return x.unary("silu"); }
inline Tensor sqrt(const Tensor &x) { return x.unary("sqrt"); }
/* `approximate`: "none" or "tanh". */
inline Tensor gelu(const Tensor &x, const std::string &approximate = "none") {
  return Operation("gelu").array("self", x).text("approximate", approximate).result();
}
inline Tensor softmax(const Tensor &x, int64_t dim = -1) {
  return Operation("_softmax").array("self", x).integer("dim", dim).flag("half_to_float", false).result();
}
inline Tensor log_softmax(const Tensor &x, int64_t dim = -1) {
  return Operation("_log_softmax").array("self", x).integer("dim", dim).flag("half_to_float", false).result();
}

/* ---- layers ---- */
/* x times the weight transposed, and a bias. */
inline Tensor linear(const Tensor &x, const Tensor &weight, const std::optional<Tensor> &bias = {}) {
  return Operation("linear").array("input", x).array("weight", weight).array("bias", bias).result();
}

/* Rows of a table by number. */
inline Tensor embedding(const Tensor &index, const Tensor &weight) {
  return Operation("embedding").array("weight", weight).array("indices", index).result();
}

/* Of a convolution; one size for each dimension of the image, or none: stride 1, padding 0, dilation 1. */
struct ConvOptions {
  Sizes stride = {}, padding = {}, dilation = {};
  int64_t groups = 1;
  bool transposed = false;
  Sizes output_padding = {};
};

/* A convolution of as many dimensions as `weight` has after its first two: x is (batch, channels, sizes…). */
inline Tensor conv(const Tensor &x, const Tensor &weight, const std::optional<Tensor> &bias = {},
                   const ConvOptions &options = {}) {
  const std::size_t rank = weight.shape().size();
  if (rank < 3 || rank > 5)
    throw Error(TEN_INVALID, "conv: a weight has 3 to 5 dimensions, not " + std::to_string(rank));
  const auto each = [rank](const Sizes &given, int64_t otherwise) {
    return given.empty() ? Sizes(rank - 2, otherwise) : given;
  };
  return Operation("convolution")
      .array("input", x)
      .array("weight", weight)
      .array("bias", bias)
      .sizes("stride", each(options.stride, 1))
      .sizes("padding", each(options.padding, 0))
      .sizes("dilation", each(options.dilation, 1))
      .flag("transposed", options.transposed)
      .sizes("output_padding", each(options.output_padding, 0))
      .integer("groups", options.groups)
      .result();
}

/* softmax(query keyᵀ / √size) value over (batch, heads, length, size); `mask` of bools says which keys count, one of
 * floats is added; `causal`: no query sees later keys. */
inline Tensor attention(const Tensor &query, const Tensor &key, const Tensor &value,
                        const std::optional<Tensor> &mask = {}, bool causal = false) {
  return Operation("scaled_dot_product_attention")
      .array("query", query)
      .array("key", key)
      .array("value", value)
      .array("attn_mask", mask)
      .real("dropout_p", 0)
      .flag("is_causal", causal)
      .result();
}

/* ---- norms ---- */
/* The last dimensions, of sizes `shape`, with mean 0 and variance 1. */
inline Tensor layer_norm(const Tensor &x, const Sizes &shape, const std::optional<Tensor> &weight = {},
                         const std::optional<Tensor> &bias = {}, double eps = 1e-5) {
  return Operation("layer_norm")
      .array("input", x)
      .sizes("normalized_shape", shape)
      .array("weight", weight)
      .array("bias", bias)
      .real("eps", eps)
      .result();
}
/* The last dimensions, of sizes `shape`, divided by the root of the mean of their squares. */
inline Tensor rms_norm(const Tensor &x, const Sizes &shape, const std::optional<Tensor> &weight = {},
                       double eps = 1e-6) {
  return Operation("rms_norm")
      .array("input", x)
      .sizes("normalized_shape", shape)
      .array("weight", weight)
      .real("eps", eps)
      .result();
}
/* Each group of channels with mean 0 and variance 1. */
inline Tensor group_norm(const Tensor &x, int64_t groups, const std::optional<Tensor> &weight = {},
                         const std::optional<Tensor> &bias = {}, double eps = 1e-5) {
  return Operation("group_norm")
      .array("input", x)
      .integer("num_groups", groups)
      .array("weight", weight)
      .array("bias", bias)
      .real("eps", eps)
      .flag("cudnn_enabled", false)
      .result();
}
/* Each channel with `mean` and `variance` taken out; without them, with those of this batch. */
inline Tensor batch_norm(const Tensor &x, const std::optional<Tensor> &mean = {},
                         const std::optional<Tensor> &variance = {}, const std::optional<Tensor> &weight = {},
                         const std::optional<Tensor> &bias = {}, double eps = 1e-5) {
  if (mean.has_value() != variance.has_value())
    throw Error(TEN_INVALID, "batch_norm: a mean comes with a variance, and a variance with a mean");
  return Operation("batch_norm")
      .array("input", x)
      .array("weight", weight)
      .array("bias", bias)
      .array("running_mean", mean)
      .array("running_var", variance)
      .flag("training", !mean)
      .real("momentum", 0)
      .real("eps", eps)
      .flag("cudnn_enabled", false)
      .result();
}

/* ---- pooling: over (batch, channels, height, width) ---- */
/* No stride: the size of the window. */
inline Tensor max_pool2d(const Tensor &x, const Sizes &size, const Sizes &stride = {}, const Sizes &padding = {0, 0}) {
  return Operation("max_pool2d")
      .array("self", x)
      .sizes("kernel_size", size)
      .sizes("stride", stride.empty() ? size : stride)
      .sizes("padding", padding)
      .result();
}
inline Tensor avg_pool2d(const Tensor &x, const Sizes &size, const Sizes &stride = {}, const Sizes &padding = {0, 0}) {
  return Operation("avg_pool2d")
      .array("self", x)
      .sizes("kernel_size", size)
      .sizes("stride", stride.empty() ? size : stride)
      .sizes("padding", padding)
      .result();
}
/* Means over so many windows. */
inline Tensor adaptive_avg_pool2d(const Tensor &x, const Sizes &size) {
  return Operation("adaptive_avg_pool2d").array("self", x).sizes("output_size", size).result();
}

/* ---- losses ---- */
inline Tensor mse_loss(const Tensor &x, const Tensor &target) { return mean((x - target) * (x - target)); }
/* The mean of minus the logarithm of the softmax of the right classes; `target` has their numbers, of type int64. */
inline Tensor cross_entropy(const Tensor &x, const Tensor &target) {
  return Operation("cross_entropy_loss").array("self", x).array("target", target).result();
}

} /* namespace tenfold */

#endif
