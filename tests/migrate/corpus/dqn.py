import random
from collections import deque, namedtuple

import torch
from torch import nn, optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class Agent:
    """Keeps its device as an attribute, as classes do."""

    def __init__(self, n_obs=3, n_actions=2, gpu=True):
        self.device = torch.device("cuda") if gpu and torch.cuda.is_available() else torch.device("cpu")
        self.policy_net = nn.Sequential(nn.Linear(n_obs, 16), nn.ReLU(), nn.Linear(16, n_actions)).to(self.device)
        self.target_net = nn.Sequential(nn.Linear(n_obs, 16), nn.ReLU(), nn.Linear(16, n_actions)).to(self.device)
        self.target_net.load_state_dict(self.policy_net.state_dict())
        self.optimizer = optim.AdamW(self.policy_net.parameters(), lr=1e-3, amsgrad=True)
        self.memory = deque([], maxlen=100)

    def act(self, state, eps):
        if random.random() > eps:
            with torch.no_grad():
                return self.policy_net(state).max(1).indices.view(1, 1)
        return torch.tensor([[random.randrange(2)]], device=self.device, dtype=torch.long)

    def optimize(self, batch_size=8, gamma=0.9, tau=0.05):
        if len(self.memory) < batch_size:
            return None
        batch = Transition(*zip(*random.sample(list(self.memory), batch_size)))
        states, actions = torch.cat(batch.state), torch.cat(batch.action)
        rewards, following = torch.cat(batch.reward), torch.cat(batch.next_state)
        values = self.policy_net(states).gather(1, actions)
        next_values = torch.zeros(batch_size, device=self.device)
        with torch.no_grad():
            next_values = self.target_net(following).max(1).values
        loss = nn.SmoothL1Loss()(values, (next_values * gamma + rewards).unsqueeze(1))
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(self.policy_net.parameters(), 100)
        self.optimizer.step()
        target, policy = self.target_net.state_dict(), self.policy_net.state_dict()
        for key in policy:
            target[key] = policy[key] * tau + target[key] * (1 - tau)
        self.target_net.load_state_dict(target)
        return loss.item()


random.seed(0)
torch.manual_seed(0)
agent = Agent()
state = torch.zeros(1, 3, device=agent.device)
for t in range(20):
    action = agent.act(state, eps=0.3)
    reward = torch.tensor([1.0 if action.item() else -1.0], device=agent.device)
    next_state = torch.tanh(state + 0.1 * (action.float() - 0.5))
    agent.memory.append(Transition(state, action, next_state, reward))
    state = next_state
    loss = agent.optimize()
    if loss is not None and t % 4 == 0:
        print("t=%d loss=%.5f" % (t, loss))
