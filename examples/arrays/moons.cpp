/* Trains a small network to tell two moons apart, as moons.py does.
 *
 *   c++ -std=c++17 moons.cpp -o moons $(pkg-config --cflags --libs tenfold) && ./moons */
#include <cmath>
#include <cstdio>

#include <tenfold/tenfold.hpp>

int main() {
  using tenfold::Tensor;
  const int count = 64, hidden = 16;
  std::vector<float> points, labels;
  for (int i = 0; i < count; i++) {
    const double t = 3.141592653589793 * (i / 2) / (count / 2 - 1);
    points.push_back(static_cast<float>(i % 2 ? 1 - std::cos(t) : std::cos(t)));
    points.push_back(static_cast<float>(i % 2 ? 0.5 - std::sin(t) : std::sin(t)));
    labels.push_back(i % 2 ? -1.0f : 1.0f);
  }
  try {
    const Tensor x({count, 2}, points), y({count, 1}, labels), rate(0.5f);
    std::vector<Tensor> p = {Tensor::normal({2, hidden}, 1), Tensor({1, hidden}),
                             Tensor::normal({hidden, 1}, 1, 2 * hidden) * Tensor(0.25f), Tensor({1, 1})};
    for (int i = 0; i <= 100; i++) {
      const Tensor h = tanh(matmul(x, p[0]) + p[1]);
      const Tensor apart = tanh(matmul(h, p[2]) + p[3]) - y;
      const Tensor loss = mean(apart * apart);
      const std::vector<Tensor> gradients = tenfold::grad(loss, p);
      if (i % 20 == 0) std::printf("step %3d loss %.4f\n", i, static_cast<double>(loss.item()));
      for (std::size_t k = 0; k < p.size(); k++) p[k] = p[k] - gradients[k] * rate;
    }
  } catch (const tenfold::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
