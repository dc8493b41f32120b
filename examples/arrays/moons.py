"""Trains a small network to tell two moons apart; so do moons.c, moons.cpp and bindings/rust/examples/moons.rs."""

import math

import tenfold as tn

COUNT, HIDDEN, RATE = 64, 16, 0.5

points, labels = [], []
for i in range(COUNT):
    t = math.pi * (i // 2) / (COUNT // 2 - 1)
    upper = i % 2 == 0
    points.append([math.cos(t), math.sin(t)] if upper else [1 - math.cos(t), 0.5 - math.sin(t)])
    labels.append([1.0 if upper else -1.0])
x, y = tn.asarray(points), tn.asarray(labels)

draw = tn.random.Generator(seed=1)
parameters = [draw.normal((2, HIDDEN)), tn.zeros((1, HIDDEN)), draw.normal((HIDDEN, 1)) * 0.25, tn.zeros((1, 1))]


def loss_of(parameters):
    w1, b1, w2, b2 = parameters
    apart = tn.tanh(tn.tanh(x @ w1 + b1) @ w2 + b2) - y
    return tn.mean(apart * apart)


step = tn.value_and_grad(loss_of)
for i in range(101):
    loss, gradients = step(parameters)
    if i % 20 == 0:
        print(f"step {i:3d} loss {float(loss):.4f}")
    parameters = [p - g * RATE for p, g in zip(parameters, gradients, strict=True)]
