"""Views of pictures for training: in the sizes and forms in which they arrive, in other tones, and with simulated bands of a display."""
import io

import numpy as np
from PIL import Image, ImageFilter

from bands import by_source

WIDTH, HEIGHT = 320, 240


def read(row):
    return Image.open(row['path']).convert('RGB')


def sized(picture, width=WIDTH, height=HEIGHT, turn=Image.ROTATE_90):
    """As `lying.ts` does: a picture that stands is turned, then brought to one size."""
    if picture.height > picture.width:
        picture = picture.transpose(turn)
    how = Image.BOX if max(picture.size) > 1.05 * width else Image.BILINEAR
    return np.asarray(picture.resize((width, height), how), np.float32)


def single(*values):
    return np.array(values, np.float32) if len(values) > 1 else np.float32(values[0])


class Bands:
    """Draws the bands and rings that a display's rows and columns leave below the camera's resolution, and a display's light."""

    def __init__(self, rng):
        self.rng = rng
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        self.x, self.y = x / WIDTH - single(0.5), (y - HEIGHT / 2) / single(WIDTH)

    def strength(self, low, high):
        return single(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def field(self, cells=4):
        """A smooth random surface."""
        coarse = self.rng.normal(0, 1, (cells, cells + 1)).astype(np.float32)
        return np.asarray(Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.BICUBIC))

    def cycles(self, straight):
        """Cycles of one lattice from an origin to each place: in perspective they widen, and near the camera's own frequency they close to rings."""
        rng = self.rng
        frequency, angle = self.strength(1.5, 90), rng.uniform(0, 2 * np.pi)
        cos, sin = single(np.cos(angle), np.sin(angle))
        u, v = self.x * cos + self.y * sin, self.y * cos - self.x * sin
        if not straight and rng.random() < 0.3:
            left, top = single(rng.uniform(-0.7, 0.7), rng.uniform(-0.5, 0.5))
            around = self.strength(8, 220)
            flat, skew = single(rng.uniform(0.4, 1.6) * rng.choice([1, 1, -1]), 0.3 * rng.uniform(-1, 1))
            return around * ((u - left) ** 2 + flat * (v - top) ** 2 + skew * (u - left) * (v - top))
        second = (rng.normal(0, 1, 3) * rng.choice([0.02, 0.15] if straight else [0.02, 0.3, 1, 3])).astype(np.float32)
        third = (rng.normal(0, 1, 4) * (0 if straight else rng.choice([0, 0.5, 2]))).astype(np.float32)
        return frequency * (u + second[0] * u * u + second[1] * u * v + second[2] * v * v
                            + third[0] * u ** 3 + third[1] * u * u * v + third[2] * u * v * v + third[3] * v ** 3)

    def lattice(self, coloured, straight=False):
        rng = self.rng
        bent = single(rng.uniform(0, 0.6)) * self.field() if rng.random() < 0.5 else single(0)
        phase = single(2 * np.pi) * (self.cycles(straight) + bent + single(rng.uniform()))
        # Waves that are too short for a pixel are not seen.
        across = np.diff(phase, axis=1, prepend=phase[:, :1])
        down = np.diff(phase, axis=0, prepend=phase[:1])
        seen = np.clip(1 - np.sqrt(across * across + down * down) / single(0.9 * np.pi), 0, 1)
        shift, height = np.zeros(3), np.ones(3)
        if coloured:
            # Subpixels side by side, or those of green against the other two.
            kind = rng.random()
            shift = np.array([0, 1 / 3, 2 / 3]) if kind < 0.4 else np.array([0, 0.5, 0]) if kind < 0.8 else rng.uniform(0, 1, 3)
            shift = shift * rng.choice([-1, 1]) + rng.normal(0, 0.05, 3)
            height = np.ones(3) if rng.random() < 0.6 else rng.uniform(0.2, 1, 3)
        wave = lambda times: np.stack([single(height[c]) * np.cos(single(times) * (phase + single(2 * np.pi * shift[c]))) for c in range(3)], -1)
        waves = wave(1) + (single(0.4) * wave(2) if rng.random() < 0.4 else 0)
        place = 1 / (1 + np.exp(-(single(1.5) * self.field() + single(rng.normal(0.5, 1))))) if rng.random() < 0.7 else 1
        return waves * (seen * place)[..., None]

    def over(self, picture, low=0.015, high=0.16):
        """Multiplies, so that dark parts lose the bands."""
        total = self.strength(1.3 * low, high) * self.lattice(True)
        for _ in range(self.rng.integers(0, 3)):
            total = total + self.strength(low, high) * self.lattice(self.rng.random() < 0.8)
        return picture * (1 + total)

    def panel(self, picture):
        """A display's black level, contrast, cast and uneven light."""
        rng = self.rng
        if rng.random() < 0.6:
            picture = single(*(rng.uniform(2, 28) * rng.uniform(0.8, 1.2, 3))) + picture * single(rng.uniform(0.72, 1))
        if rng.random() < 0.4:
            picture = picture * (1 + single(rng.uniform(0.02, 0.2)) * self.field(3)[..., None])
        if rng.random() < 0.4:
            picture = picture * single(rng.uniform(0.88, 1), rng.uniform(0.95, 1.03), rng.uniform(1, 1.15))
        return picture


class Samples:
    """Draws views of displays, of genuine pictures under simulated bands, and of genuine pictures."""

    KINDS = ['display'] * 10 + ['simulated'] * 5 + ['genuine'] * 13

    def __init__(self, rows, rng):
        self.rng, self.bands, self.pictures = rng, Bands(rng), {}
        self.noise = [rng.normal(0, 1, (HEIGHT, WIDTH, 3)).astype(np.float32) for _ in range(4)]
        displays, genuine = ([row for row in rows if row['label'] == label] for label in (1, 0))
        self.rows = {'display': displays, 'simulated': genuine, 'genuine': genuine}
        self.weights = {kind: by_source(part) for kind, part in self.rows.items()}

    def part(self, picture, display):
        """Cuts a part out. Of a picture of a display it is about the middle, where the display is."""
        rng = self.rng
        share, shape = rng.uniform(0.55, 1), np.exp(rng.uniform(-0.15, 0.15))
        width, height = min(picture.width, int(picture.width * share * shape)), min(picture.height, int(picture.height * share / shape))
        place = np.clip(rng.normal(0.5, 0.2, 2), 0, 1) if display else rng.uniform(0, 1, 2)
        left, top = int((picture.width - width) * place[0]), int((picture.height - height) * place[1])
        return picture.crop((left, top, left + width, top + height))

    def sent(self, picture):
        """Another size, saved once or twice."""
        rng = self.rng
        share = int(rng.integers(400, 800)) / max(picture.size)
        if share < 1 or rng.random() < 0.3:
            how = [Image.BICUBIC, Image.BILINEAR, Image.LANCZOS][rng.integers(3)]
            picture = picture.resize([max(1, round(length * share)) for length in picture.size], how)
        for _ in range(1 + (rng.random() < 0.3)):
            out = io.BytesIO()
            picture.save(out, 'JPEG', quality=int(rng.integers(35, 92)), subsampling=2 if rng.random() < 0.8 else 0)
            picture = Image.open(out)
            picture.load()
        return picture

    def screenshot(self, picture):
        """Puts bars at two sides."""
        rng = self.rng
        (width, height), shape = picture.size, rng.uniform(1.9, 2.2)
        across, down = (width, round(width / shape)) if width > height and rng.random() < 0.4 else \
            (round(height / shape), height) if height >= width else (width, round(width * shape))
        canvas = Image.new('RGB', (max(width, across), max(height, down)), (0, 0, 0) if rng.random() < 0.8 else (255, 255, 255))
        canvas.paste(picture, ((canvas.width - width) // 2, (canvas.height - height) // 2))
        return canvas

    def view(self, kind):
        rng = self.rng
        row = self.rows[kind][rng.choice(len(self.rows[kind]), p=self.weights[kind])]
        if row['key'] not in self.pictures:
            self.pictures[row['key']] = read(row)
        picture = self.pictures[row['key']]
        if rng.random() < 0.75:
            picture = self.part(picture, kind == 'display')
        if rng.random() < 0.65:
            picture = self.sent(picture)
        if rng.random() < 0.08:
            picture = self.screenshot(picture)
        levels = sized(picture, turn=Image.ROTATE_90 if rng.random() < 0.5 else Image.ROTATE_270)
        return levels[::rng.choice([-1, 1]), ::rng.choice([-1, 1])]

    def toned(self, levels):
        rng = self.rng
        if rng.random() < 0.3:
            curve = 255 * (np.arange(256) / 255) ** np.exp(rng.uniform(-0.25, 0.25))
            levels = curve.astype(np.float32)[np.clip(levels, 0, 255).astype(np.uint8)]
        levels = levels * single(*(rng.uniform(0.8, 1.2) * rng.uniform(0.94, 1.06, 3))) + single(rng.uniform(-8, 8))
        if rng.random() < 0.3:
            grey = levels.mean(2, keepdims=True)
            levels = grey + (levels - grey) * single(rng.uniform(0.6, 1.4))
        if rng.random() < 0.25:
            noise = np.roll(self.noise[rng.integers(4)], (int(rng.integers(HEIGHT)), int(rng.integers(WIDTH))), (0, 1))
            levels = levels + noise * single(rng.uniform(1, 5))
        levels = np.clip(levels, 0, 255).astype(np.uint8)
        kind = rng.random()
        if kind < 0.08:
            return np.asarray(Image.fromarray(levels).filter(ImageFilter.GaussianBlur(float(rng.uniform(0.3, 1)))))
        if kind < 0.2:
            return np.asarray(Image.fromarray(levels).filter(ImageFilter.UnsharpMask(float(rng.uniform(0.6, 2)), int(rng.integers(30, 140)), 0)))
        return levels

    def draw(self, kind):
        rng, bands, levels = self.rng, self.bands, self.view(kind)
        if kind == 'display' and rng.random() < 0.15:
            levels = bands.over(levels, 0.01, 0.1)
        if kind == 'simulated':
            levels = bands.panel(bands.over(levels))
        if kind == 'genuine' and rng.random() < 0.15:
            # Stripes in brightness alone, as cloth and blinds have.
            levels = levels * (1 + bands.strength(0.03, 0.3) * bands.lattice(False, straight=True))
        return self.toned(levels).transpose(2, 0, 1)

    def batch(self):
        return np.stack([self.draw(kind) for kind in self.KINDS]), np.array([kind != 'genuine' for kind in self.KINDS], np.float32)
