"""What training and judging share: the families of generators that are left out in turn, by repositories, and the AUC."""

import numpy as np

FAMILIES = {
    "Stable Diffusion and PixArt": {"Zeqiang-Lai"},
    "DALL-E 2 and Midjourney 3": {"dcsan"},
    "FLUX, Qwen-Image and Hunyuan": {"jyoung105", "Tencent-Hunyuan"},
    "gpt-image-1": {"jamez-bondos", "dabirdwell"},
    "Nano Banana and Gemini": {"sameerjoshi", "tastymooncakes", "dabirdwell"},
    "unnamed": {"ML72"},
}


def auc(genuine, theirs):
    everyone = np.r_[genuine, theirs]
    values, at = np.unique(everyone, return_inverse=True)
    counts = np.bincount(at, minlength=len(values))
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[at]
    return (ranks[len(genuine) :].sum() - len(theirs) * (len(theirs) + 1) / 2) / (len(genuine) * len(theirs))
