/* tenfold.hpp: arrays for C++17, header only, over tenfold/tensor.h. Values own a reference each; errors are exceptions
 * (tenfold::Error). `phynexus` is another name of the namespace. Functions of networks are in functions.hpp. */
#ifndef TENFOLD_TENFOLD_HPP
#define TENFOLD_TENFOLD_HPP

#include <cstdlib>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tenfold/tensor.h"

namespace tenfold {

class Error : public std::runtime_error {
 public:
  Error(ten_code code, const std::string &text) : std::runtime_error(text), code_(code) {}
  ten_code code() const { return code_; }

 private:
  ten_code code_;
};

/* Throws the error of a status. */
inline void check(ten_status *status) {
  if (!status) return;
  Error error(ten_status_code(status), ten_status_text(status));
  ten_status_free(status);
  throw error;
}

enum class DataType {
  BOOL = TEN_I1,
  INT8 = TEN_I8,
  INT16 = TEN_I16,
  INT32 = TEN_I32,
  INT64 = TEN_I64,
  UINT8 = TEN_UI8,
  FLOAT16 = TEN_F16,
  BFLOAT16 = TEN_BF16,
  FLOAT32 = TEN_F32,
  FLOAT64 = TEN_F64,
  COMPLEX64 = TEN_C64,
  COMPLEX128 = TEN_C128
};

enum class DeviceType { CPU, CUDA, ROCM, OPENCL, WEBGPU, TPU, EDGE_TPU, REMOTE, INTERP };

/* A device; each is opened once per process. */
class Device {
 public:
  Device(DeviceType type = DeviceType::CPU, int index = 0)
      : Device(index ? name_of(type) + ":" + std::to_string(index) : name_of(type)) {}
  explicit Device(const std::string &name) {
    static std::mutex mutex;
    static std::map<std::string, ten_device *> opened; /* never closed: arrays may outlive any object */
    std::lock_guard<std::mutex> lock(mutex);
    ten_device *&device = opened[name];
    if (!device) check(ten_device_open(name.c_str(), &device));
    handle_ = device;
  }
  static bool is_available(DeviceType type) {
    try {
      Device device(type);
      return true;
    } catch (const Error &) {
      return false;
    }
  }
  ten_device *handle() const { return handle_; }
  std::string name() const { return ten_device_get_name(handle_); }
  std::string kind() const { return ten_device_get_kind(handle_); } /* "cuda" of "cuda:1" */
  unsigned index() const { return ten_device_get_index(handle_); }
  std::string description() const { return ten_device_get_description(handle_); } /* what it runs on */
  /* Bytes of values of arrays, now and peak; the limit (0: none), and counts. */
  ten_device_stats stats() const {
    ten_device_stats stats{};
    stats.size = sizeof stats;
    check(ten_device_get_stats(handle_, &stats));
    return stats;
  }
  void set_memory_limit(std::size_t bytes) const { ten_device_set_memory_limit(handle_, bytes); }
  std::size_t trim(std::size_t keep = 0) const { return ten_device_trim(handle_, keep); }
  void synchronize() const { check(ten_device_synchronize(handle_)); }

 private:
  static std::string name_of(DeviceType type) {
    static const char *const names[] = {"cpu", "cuda", "hip", "opencl", "webgpu", "tpu", "", "", "interp"};
    if (type == DeviceType::EDGE_TPU)
      throw Error(TEN_NOT_FOUND,
                  "arrays cannot be on an Edge TPU, which runs int8 programs compiled to a TFLite file: "
                  "tenfold compile --target edgetpu");
    if (type == DeviceType::REMOTE)
      throw Error(TEN_NOT_FOUND, "a remote device has an address, not a number: Device(\"grpc://HOST:PORT\")");
    return names[static_cast<int>(type)];
  }
  ten_device *handle_;
};

class Tensor {
 public:
  /* Zeros. */
  Tensor(const std::vector<int64_t> &shape, DataType dtype = DataType::FLOAT32, const Device &device = Device()) {
    check(ten_array_create(device.handle(), static_cast<ten_dtype>(dtype), static_cast<uint32_t>(shape.size()),
                           shape.data(), nullptr, 0, &handle_));
  }
  Tensor(const std::vector<int64_t> &shape, const std::vector<float> &data, const Device &device = Device()) {
    check(ten_array_create(device.handle(), TEN_F32, static_cast<uint32_t>(shape.size()), shape.data(), data.data(),
                           data.size() * sizeof(float), &handle_));
  }
  Tensor(float value, const Device &device = Device()) {
    check(ten_array_scalar(device.handle(), TEN_F32, static_cast<double>(value), 0, &handle_));
  }
  static Tensor adopt(ten_array *handle) { return Tensor(handle); } /* takes the reference */
  /* Another library's tensor, as ten_array_from_dlpack takes it. */
  static Tensor from_dlpack(DLManagedTensorVersioned *managed, const Device &device = Device()) {
    ten_array *made;
    check(ten_array_from_dlpack(device.handle(), managed, &made));
    return Tensor(made);
  }
  static Tensor normal(const std::vector<int64_t> &shape, uint64_t seed, uint64_t offset = 0,
                       const Device &device = Device()) {
    ten_array *made;
    check(ten_array_random(device.handle(), TEN_F32, static_cast<uint32_t>(shape.size()), shape.data(), seed, offset, 1,
                           &made));
    return Tensor(made);
  }
  Tensor(const Tensor &other) : handle_(ten_array_retain(other.handle_)) {}
  Tensor(Tensor &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor &operator=(Tensor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { ten_array_release(handle_); }

  ten_array *handle() const { return handle_; }
  std::vector<int64_t> shape() const {
    const int64_t *dims = ten_array_dims(handle_);
    return std::vector<int64_t>(dims, dims + ten_array_rank(handle_));
  }
  DataType dtype() const { return static_cast<DataType>(ten_array_dtype(handle_)); }
  std::size_t size() const { return ten_array_count(handle_); }
  std::vector<float> values() const {
    std::vector<float> out(size());
    const Tensor floats = cast(DataType::FLOAT32);
    check(ten_array_read(floats.handle_, out.data(), out.size() * sizeof(float)));
    return out;
  }
  float item() const {
    const std::vector<float> all = values();
    if (all.size() != 1)
      throw Error(TEN_INVALID, "item() of a tensor with " + std::to_string(all.size()) + " elements");
    return all[0];
  }
  /* For another library; the receiver calls the deleter. */
  DLManagedTensorVersioned *to_dlpack() const {
    DLManagedTensorVersioned *managed;
    check(ten_array_to_dlpack(handle_, &managed));
    return managed;
  }
  Tensor cast(DataType dtype) const {
    ten_array *made;
    check(ten_array_cast(handle_, static_cast<ten_dtype>(dtype), &made));
    return Tensor(made);
  }
  Tensor to(const Device &device) const {
    ten_array *made;
    check(ten_array_to(handle_, device.handle(), &made));
    return Tensor(made);
  }
  Tensor reshape(const std::vector<int64_t> &shape) const {
    ten_array *made;
    check(ten_array_reshape(handle_, static_cast<uint32_t>(shape.size()), shape.data(), &made));
    return Tensor(made);
  }
  Tensor unary(const char *name) const {
    ten_array *made;
    check(ten_array_unary(name, handle_, &made));
    return Tensor(made);
  }
  Tensor binary(const char *name, const Tensor &other) const {
    ten_array *made;
    check(ten_array_binary(name, handle_, other.handle_, &made));
    return Tensor(made);
  }
  Tensor reduce(const char *name, const std::vector<int64_t> &dims = {}, bool keep = false) const {
    ten_array *made;
    check(ten_array_reduce(name, handle_, dims.size(), dims.data(), keep, &made));
    return Tensor(made);
  }

 private:
  explicit Tensor(ten_array *handle) : handle_(handle) {}
  ten_array *handle_ = nullptr;
};

inline Tensor operator+(const Tensor &x, const Tensor &y) { return x.binary("add", y); }
inline Tensor operator-(const Tensor &x, const Tensor &y) { return x.binary("sub", y); }
inline Tensor operator*(const Tensor &x, const Tensor &y) { return x.binary("mul", y); }
inline Tensor operator/(const Tensor &x, const Tensor &y) { return x.binary("div", y); }
inline Tensor operator-(const Tensor &x) { return x.unary("neg"); }
inline Tensor exp(const Tensor &x) { return x.unary("exp"); }
inline Tensor log(const Tensor &x) { return x.unary("log"); }
inline Tensor tanh(const Tensor &x) { return x.unary("tanh"); }
inline Tensor relu(const Tensor &x) { return x.unary("relu"); }
inline Tensor sum(const Tensor &x) { return x.reduce("sum.dim_IntList"); }
inline Tensor mean(const Tensor &x) { return x.reduce("mean.dim"); }
inline Tensor matmul(const Tensor &x, const Tensor &y) {
  ten_array *made;
  check(ten_array_matmul(x.handle(), y.handle(), &made));
  return Tensor::adopt(made);
}

/* The gradients of `loss` by each of `by`. */
inline std::vector<Tensor> grad(const Tensor &loss, const std::vector<Tensor> &by) {
  std::vector<ten_array *> handles, made(by.size());
  for (const Tensor &tensor : by) handles.push_back(tensor.handle());
  check(ten_array_grad(loss.handle(), handles.size(), handles.data(), made.data()));
  std::vector<Tensor> gradients;
  for (ten_array *gradient : made) gradients.push_back(Tensor::adopt(gradient));
  return gradients;
}

inline std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  char *text;
  check(ten_array_text(tensor.handle(), &text));
  const std::unique_ptr<char, void (*)(void *)> owned(text, std::free);
  return out << text;
}

namespace nn {
class Module {
 public:
  virtual ~Module() = default;
  virtual Tensor forward(const Tensor &x) const = 0;
  virtual std::vector<Tensor *> parameters() { return {}; }
  Tensor operator()(const Tensor &x) const { return forward(x); }
};

class Linear : public Module {
 public:
  Linear(int64_t inputs, int64_t outputs, uint64_t seed = 0)
      : weight(Tensor::normal({inputs, outputs}, seed)), bias(std::vector<int64_t>{outputs}) {}
  Tensor forward(const Tensor &x) const override { return matmul(x, weight) + bias; }
  std::vector<Tensor *> parameters() override { return {&weight, &bias}; }
  Tensor weight, bias;
};

class ReLU : public Module {
 public:
  Tensor forward(const Tensor &x) const override { return relu(x); }
};

class Sequential : public Module {
 public:
  explicit Sequential(std::vector<std::shared_ptr<Module>> parts) : parts_(std::move(parts)) {}
  Tensor forward(const Tensor &x) const override {
    Tensor y = x;
    for (const auto &part : parts_) y = part->forward(y);
    return y;
  }
  std::vector<Tensor *> parameters() override {
    std::vector<Tensor *> all;
    for (const auto &part : parts_)
      for (Tensor *parameter : part->parameters()) all.push_back(parameter);
    return all;
  }

 private:
  std::vector<std::shared_ptr<Module>> parts_;
};
} /* namespace nn */

} /* namespace tenfold */

namespace phynexus = tenfold;

#include "tenfold/functions.hpp"

#endif
