import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
torch.manual_seed(543)


class Pole:
    """A pole that a push to the right side keeps up."""

    def reset(self):
        self.tilt, self.age = 0.05, 0
        return [self.tilt, 0.0]

    def step(self, action):
        self.tilt += 0.1 * self.tilt + (0.04 if action else -0.04)
        self.age += 1
        return [self.tilt, self.age / 10], 1.0, abs(self.tilt) > 0.3 or self.age >= 8


class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.affine1 = nn.Linear(2, 16)
        self.affine2 = nn.Linear(16, 2)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        return F.softmax(self.affine2(F.relu(self.affine1(x))), dim=1)


policy = Policy().to(device)
optimizer = optim.Adam(policy.parameters(), lr=1e-2)


def select_action(state):
    state = torch.tensor(state, dtype=torch.float32).unsqueeze(0).to(device)
    probs = policy(state)
    m = Categorical(probs)
    action = m.sample()
    policy.saved_log_probs.append(m.log_prob(action))
    return action.item()


def finish_episode():
    R, returns = 0, []
    for r in policy.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    policy_loss = [-log_prob * R for log_prob, R in zip(policy.saved_log_probs, returns.tolist())]
    optimizer.zero_grad()
    policy_loss = torch.cat(policy_loss).sum()
    policy_loss.backward()
    optimizer.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]


env = Pole()
for i_episode in range(4):
    state, total = env.reset(), 0
    for t in range(1, 20):
        action = select_action(state)
        state, reward, done = env.step(action)
        policy.rewards.append(reward)
        total += reward
        if done:
            break
    finish_episode()
    print('Episode {}\tReward: {:.2f}'.format(i_episode, total))
