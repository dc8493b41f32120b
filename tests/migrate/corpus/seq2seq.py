import random

import torch
import torch.nn as nn
from torch import optim
import torch.nn.functional as F

use_cuda = torch.cuda.is_available()
SOS, EOS, VOCAB, HIDDEN, LENGTH = 0, 1, 8, 12, 5
random.seed(2)
torch.manual_seed(2)


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size):
        super(EncoderRNN, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size)

    def forward(self, input, hidden):
        embedded = self.embedding(input).view(1, 1, -1)
        output, hidden = self.gru(embedded, hidden)
        return output, hidden

    def initHidden(self):
        result = torch.zeros(1, 1, self.hidden_size)
        if use_cuda:
            return result.cuda()
        else:
            return result


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size):
        super(AttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attn = nn.Linear(hidden_size * 2, LENGTH)
        self.attn_combine = nn.Linear(hidden_size * 2, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, input, hidden, encoder_outputs):
        embedded = self.embedding(input).view(1, 1, -1)
        attn_weights = F.softmax(self.attn(torch.cat((embedded[0], hidden[0]), 1)), dim=1)
        attn_applied = torch.bmm(attn_weights.unsqueeze(0), encoder_outputs.unsqueeze(0))
        output = self.attn_combine(torch.cat((embedded[0], attn_applied[0]), 1)).unsqueeze(0)
        output, hidden = self.gru(F.relu(output), hidden)
        return F.log_softmax(self.out(output[0]), dim=1), hidden


def train(input_tensor, target_tensor, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion):
    encoder_hidden = encoder.initHidden()
    encoder_optimizer.zero_grad()
    decoder_optimizer.zero_grad()
    encoder_outputs = torch.zeros(LENGTH, HIDDEN)
    encoder_outputs = encoder_outputs.cuda() if use_cuda else encoder_outputs
    loss = 0
    for ei in range(LENGTH):
        encoder_output, encoder_hidden = encoder(input_tensor[ei], encoder_hidden)
        encoder_outputs[ei] = encoder_output[0][0]
    decoder_input = torch.LongTensor([[SOS]])
    decoder_input = decoder_input.cuda() if use_cuda else decoder_input
    decoder_hidden = encoder_hidden
    for di in range(LENGTH):
        decoder_output, decoder_hidden = decoder(decoder_input, decoder_hidden, encoder_outputs)
        loss += criterion(decoder_output, target_tensor[di])
        decoder_input = target_tensor[di]  # teacher forcing
    loss.backward()
    encoder_optimizer.step()
    decoder_optimizer.step()
    return loss.item() / LENGTH


def pair():
    words = [random.randrange(2, VOCAB) for _ in range(LENGTH)]
    source, target = torch.LongTensor(words).view(-1, 1), torch.LongTensor(words[::-1]).view(-1, 1)
    if use_cuda:
        return source.cuda(), target.cuda()
    return source, target


encoder1 = EncoderRNN(VOCAB, HIDDEN)
attn_decoder1 = AttnDecoderRNN(HIDDEN, VOCAB)
if use_cuda:
    encoder1 = encoder1.cuda()
    attn_decoder1 = attn_decoder1.cuda()
encoder_optimizer = optim.SGD(encoder1.parameters(), lr=0.05)
decoder_optimizer = optim.SGD(attn_decoder1.parameters(), lr=0.05)
criterion = nn.NLLLoss()
for it in range(4):
    source, target = pair()
    print('%d %.4f' % (it, train(source, target, encoder1, attn_decoder1, encoder_optimizer, decoder_optimizer, criterion)))
