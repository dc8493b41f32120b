"""The architectures of `make bench-zoo`: random weights, each with the inputs of one batch.

Those of torchvision, timm, transformers and diffusers are made by these libraries, in small sizes where a size can be
chosen; a few kinds that none of them has (graphs, recommendation, recurrent, tabular) are written out in
`zoo_others.py`. A model returns one tensor, or a tuple of tensors, whose first is trained.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

IMAGE = 160  # pixels of images for networks of convolutions
TOKENS = 64  # length of sequences
WORDS = 2000  # size of vocabularies: a table of more is memory, not work


@dataclass
class Entry:
    kind: str
    make: Callable[[int], tuple[nn.Module, tuple[Any, ...]]]  # of a batch size


ZOO: dict[str, Entry] = {}


def image(batch: int, size: int, channels: int = 3) -> tuple[torch.Tensor]:
    return (torch.randn(batch, channels, size, size),)


def words(batch: int, length: int = TOKENS) -> tuple[torch.Tensor]:
    return (torch.randint(0, WORDS, (batch, length)),)


def import_torchvision() -> Any:
    """Where torch is a build for the CPU and torchvision is not, its ops cannot be loaded and two names are missing."""
    try:
        return importlib.import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
    for name in [m for m in sys.modules if m.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    for name in ("nms", "qnms"):
        torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return importlib.import_module("torchvision")


def import_diffusers() -> Any:
    """It imports transformers' image processors, and they torchvision."""
    import_torchvision()
    return importlib.import_module("diffusers")


# ---- torchvision ---------------------------------------------------------------------------------------------------


class Picked(nn.Module):
    """The tensor of interest of a model that returns a dictionary or an object."""

    def __init__(self, model: nn.Module, pick: str, **named: Any) -> None:
        super().__init__()
        self.model, self.pick, self.named = model, pick, named

    def forward(self, *inputs: Any) -> Any:
        result = self.model(*inputs, **self.named)
        return result[self.pick] if isinstance(result, dict) else getattr(result, self.pick)


def vision(name: str, kind: str = "CNN", size: int = IMAGE, **options: Any) -> None:
    def make(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
        model = getattr(import_torchvision().models, name)(weights=None, **options)
        return model, image(batch, size)

    ZOO[name] = Entry(kind, make)


def segmentation(name: str) -> None:
    def make(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
        models = import_torchvision().models.segmentation
        model = getattr(models, name)(weights=None, weights_backbone=None, num_classes=21)
        return Picked(model, "out"), image(batch, IMAGE)

    ZOO[name] = Entry("segmentation", make)


def video(name: str) -> None:
    def make(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
        return getattr(import_torchvision().models.video, name)(weights=None), (torch.randn(batch, 3, 8, 64, 64),)

    ZOO[name] = Entry("video", make)


for each in (
    "alexnet", "densenet121", "efficientnet_b0", "efficientnet_v2_s", "mnasnet1_0", "mobilenet_v2",
    "mobilenet_v3_large", "mobilenet_v3_small", "regnet_x_400mf", "regnet_y_1_6gf", "resnet18", "resnet50",
    "resnext50_32x4d", "shufflenet_v2_x1_0", "squeezenet1_1", "vgg11", "convnext_tiny",
):  # fmt: skip
    vision(each)
vision("googlenet", aux_logits=False, init_weights=False)
vision("inception_v3", aux_logits=False, init_weights=False)
vision("swin_t", "ViT", 224)
segmentation("lraspp_mobilenet_v3_large")
segmentation("deeplabv3_mobilenet_v3_large")
video("r3d_18")
video("r2plus1d_18")


# ---- timm ----------------------------------------------------------------------------------------------------------


def timm(name: str, kind: str = "CNN", size: int = IMAGE, **options: Any) -> None:
    def make(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
        import_torchvision()
        import timm as library

        return library.create_model(name, pretrained=False, **options), image(batch, size)

    ZOO[name] = Entry(kind, make)


for each in (
    "convnextv2_atto", "cspresnet50", "dla34", "dpn68", "ese_vovnet19b_dw", "fbnetc_100", "ghostnet_100",
    "hardcorenas_a", "hrnet_w18_small", "inception_next_atto", "lcnet_100", "mixnet_s", "mobilenetv4_conv_small",
    "mobileone_s0", "nf_regnet_b0", "poolformer_s12", "repvgg_a0", "res2net50_26w_4s", "resnest14d", "rexnet_100",
    "selecsls42b", "seresnet50", "skresnet18", "starnet_s1", "tinynet_a", "xception41",
):  # fmt: skip
    timm(each)
for each in (
    "beit_base_patch16_224", "cait_xxs24_224", "convit_tiny", "deit_tiny_patch16_224", "eva02_tiny_patch14_224",
    "gmlp_s16_224", "mixer_s16_224", "pit_ti_224", "pvt_v2_b0", "resmlp_12_224", "tnt_s_patch16_224",
    "twins_pcpvt_small", "vit_small_patch16_224", "xcit_nano_12_p16_224",
):  # fmt: skip
    timm(each, "ViT", 224)
for each in (
    "coat_lite_tiny", "coatnet_nano_rw_224", "edgenext_small", "efficientformer_l1", "efficientvit_b0", "fastvit_t8",
    "gcvit_xxtiny", "levit_128s", "maxvit_pico_rw_256", "mobilevit_s", "mobilevitv2_050", "nextvit_small", "repvit_m1",
    "tiny_vit_5m_224", "visformer_tiny",
):  # fmt: skip
    timm(each, "hybrid", 256 if each.startswith(("maxvit", "edgenext", "mobilevit")) else 224)


# ---- transformers --------------------------------------------------------------------------------------------------

SIZES = {"hidden_size": 256, "intermediate_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 4}


def hugging(name: str, config: str, model: str, kind: str, pick: str, inputs: Any = words, **sizes: Any) -> None:
    """`pick`: the result to take. Caches of keys are off: they are objects, not tensors."""

    def make(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
        import transformers

        settings = getattr(transformers, config)(**sizes)
        made = getattr(transformers, model)(settings)
        named = {"use_cache": False} if kind in ("decoder", "MoE") else {}
        return Picked(made, pick, **named), inputs(batch)

    ZOO[name] = Entry(kind, make)


class EncoderDecoder(nn.Module):
    def __init__(self, model: nn.Module, pick: str) -> None:
        super().__init__()
        self.model, self.pick = model, pick

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return getattr(self.model(source, decoder_input_ids=target, use_cache=False), self.pick)


def sequence(name: str, config: str, model: str, kind: str, pick: str, source: Any = words, **sizes: Any) -> None:
    def make(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
        import transformers

        made = getattr(transformers, model)(getattr(transformers, config)(**sizes))
        return EncoderDecoder(made, pick), (*source(batch), *words(batch, TOKENS // 2))

    ZOO[name] = Entry(kind, make)


def sound(batch: int) -> tuple[torch.Tensor]:
    return (torch.randn(batch, 16000),)


BERT = {**SIZES, "vocab_size": WORDS}
for each, (config, model) in {
    "bert": ("BertConfig", "BertModel"),
    "albert": ("AlbertConfig", "AlbertModel"),
    "electra": ("ElectraConfig", "ElectraModel"),
    "deberta_v2": ("DebertaV2Config", "DebertaV2Model"),
    "mpnet": ("MPNetConfig", "MPNetModel"),
    "roformer": ("RoFormerConfig", "RoFormerModel"),
    "fnet": ("FNetConfig", "FNetModel"),
    "modernbert": ("ModernBertConfig", "ModernBertModel"),
}.items():
    extra = {"pad_token_id": 0} if each in ("modernbert",) else {}
    extra |= {"reference_compile": False, "attn_implementation": "sdpa"} if each == "modernbert" else {}
    extra |= {"embedding_size": 256} if each in ("electra", "albert", "roformer") else {}
    hugging(each, config, model, "encoder", "last_hidden_state", **BERT, **extra)
hugging("distilbert", "DistilBertConfig", "DistilBertModel", "encoder", "last_hidden_state",
        dim=256, hidden_dim=1024, n_layers=4, n_heads=4, vocab_size=WORDS)  # fmt: skip
LLAMA = {**BERT, "num_key_value_heads": 2, "head_dim": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
for each, (config, model) in {
    "llama": ("LlamaConfig", "LlamaForCausalLM"),
    "mistral": ("MistralConfig", "MistralForCausalLM"),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM"),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM"),
    "gemma2": ("Gemma2Config", "Gemma2ForCausalLM"),
    "phi": ("PhiConfig", "PhiForCausalLM"),
    "olmo2": ("Olmo2Config", "Olmo2ForCausalLM"),
    "gpt_neox": ("GPTNeoXConfig", "GPTNeoXForCausalLM"),
}.items():
    hugging(each, config, model, "decoder", "logits", **LLAMA)
hugging("gpt2", "GPT2Config", "GPT2LMHeadModel", "decoder", "logits", n_embd=256, n_layer=4, n_head=4, vocab_size=WORDS)
hugging("opt", "OPTConfig", "OPTForCausalLM", "decoder", "logits",
        **BERT, ffn_dim=1024, word_embed_proj_dim=256, pad_token_id=0)  # fmt: skip
hugging("bloom", "BloomConfig", "BloomForCausalLM", "decoder", "logits",
        hidden_size=256, n_layer=4, n_head=4, vocab_size=WORDS)  # fmt: skip
hugging("mamba", "MambaConfig", "MambaForCausalLM", "decoder", "logits",
        hidden_size=128, num_hidden_layers=2, vocab_size=WORDS)  # fmt: skip
hugging("mixtral", "MixtralConfig", "MixtralForCausalLM", "MoE", "logits",
        **LLAMA, num_local_experts=4, num_experts_per_tok=2)  # fmt: skip
T5 = {"d_model": 256, "d_kv": 64, "d_ff": 1024, "num_layers": 4, "num_heads": 4, "vocab_size": WORDS}
hugging("t5_encoder", "T5Config", "T5EncoderModel", "encoder", "last_hidden_state", **T5)
sequence("t5", "T5Config", "T5ForConditionalGeneration", "encoder-decoder", "logits", **T5)
sequence("switch", "SwitchTransformersConfig", "SwitchTransformersForConditionalGeneration", "MoE", "logits",
         **T5, num_experts=4)  # fmt: skip
BART = {
    "d_model": 256, "encoder_layers": 3, "decoder_layers": 3, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 1024, "decoder_ffn_dim": 1024, "vocab_size": WORDS,
}  # fmt: skip
sequence("bart", "BartConfig", "BartForConditionalGeneration", "encoder-decoder", "logits", **BART)
sequence("marian", "MarianConfig", "MarianMTModel", "encoder-decoder", "logits", **BART, pad_token_id=0)
sequence("whisper", "WhisperConfig", "WhisperForConditionalGeneration", "audio", "logits",
         lambda batch: (torch.randn(batch, 80, 400),), **BART, max_source_positions=200, pad_token_id=0,
         bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)  # fmt: skip
for each, (config, model) in {
    "wav2vec2": ("Wav2Vec2Config", "Wav2Vec2Model"),
    "hubert": ("HubertConfig", "HubertModel"),
    "wav2vec2_conformer": ("Wav2Vec2ConformerConfig", "Wav2Vec2ConformerModel"),
}.items():
    hugging(each, config, model, "audio", "last_hidden_state", sound, **SIZES, mask_time_prob=0.0,
            mask_feature_prob=0.0, conv_dim=(256,) * 7)  # fmt: skip
hugging("audio_spectrogram", "ASTConfig", "ASTModel", "audio", "last_hidden_state",
        lambda batch: (torch.randn(batch, 256, 128),), **SIZES, max_length=256)  # fmt: skip
hugging("segformer", "SegformerConfig", "SegformerForSemanticSegmentation", "segmentation", "logits",
        lambda batch: image(batch, 128))  # fmt: skip
hugging("yolos", "YolosConfig", "YolosForObjectDetection", "detection", "logits",
        lambda batch: image(batch, 128), **SIZES, image_size=[128, 128], num_detection_tokens=20)  # fmt: skip


# ---- diffusers -----------------------------------------------------------------------------------------------------


class Denoiser(nn.Module):
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor, time: torch.Tensor, *context: torch.Tensor) -> torch.Tensor:
        return self.model(x, time, *context, return_dict=False)[0]


class Decoder(nn.Module):
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.model.decode(x, return_dict=False)[0]


def unet(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
    model = import_diffusers().UNet2DModel(
        sample_size=32, layers_per_block=1, block_out_channels=(64, 128, 128), norm_num_groups=16,
        down_block_types=("DownBlock2D", "DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D", "UpBlock2D"),
    )  # fmt: skip
    return Denoiser(model), (*image(batch, 32), torch.full((batch,), 10))


def unet_conditioned(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
    model = import_diffusers().UNet2DConditionModel(
        sample_size=32, layers_per_block=1, block_out_channels=(64, 128), cross_attention_dim=128, norm_num_groups=16,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    )  # fmt: skip
    return Denoiser(model), (torch.randn(batch, 4, 32, 32), torch.full((batch,), 10), torch.randn(batch, 32, 128))


def autoencoder(batch: int) -> tuple[nn.Module, tuple[Any, ...]]:
    model = import_diffusers().AutoencoderKL(
        block_out_channels=(64, 128), norm_num_groups=16, down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
    )  # fmt: skip
    return Decoder(model), (torch.randn(batch, 4, 32, 32),)


for each in (unet, unet_conditioned, autoencoder):
    ZOO[each.__name__] = Entry("diffusion", each)


# ---- our own -------------------------------------------------------------------------------------------------------


def own(kind: str, *names: str) -> None:
    import zoo_more
    import zoo_others
    import zoo_sequences

    makers = {**vars(zoo_sequences), **vars(zoo_more), **vars(zoo_others)}
    for name in names:
        ZOO[name] = Entry(kind, makers[name])


own("graph", "gcn", "gat", "graph_sage", "gin")
own("recommendation", "dlrm", "deep_fm", "two_towers")
own("detection", "pyramid_head", "ssd_head", "yolo_head")
own("recurrent", "lstm", "gru", "lstm_both_ways", "elman", "lstm_attention")
own("tabular", "mlp", "tabular_resnet", "ft_transformer", "autoencoder_mlp", "tab_transformer")
own("audio", "conv_tasnet", "temporal_net", "conformer", "tcn")
own(
    "image",
    "linear_attention",
    "permutator",
    "spatial_transformer",
    "deformable",
    "style_generator",
    "super_resolution",
)
own("image", "capsules", "volume_unet", "vae", "correlation", "crnn")
own("function", "nerf", "siren", "normalizing_flow", "kan", "hyper_network", "neural_ode", "fourier_operator")
own("sequence", "selective_scan", "retention", "rwkv", "crf", "perceiver", "mixture")
own("points", "pointnet", "dgcnn")
