// Does a second frame with the torch on tell a display from a thing? Rendered pairs of frames of 480 x 360:
//   node research/presence/torch.ts --pairs 100 [--from 100000] [--kinds 'sheet,far'] [--dump FILE] [--write FILE]
//
// The rule, written before the first number. Seeds below 100,000 may set bounds; those from 100,000 judge, once.
// - Real things within 1.5 m in a room are called "emits" in at most 1%, and in at most 3% of each kind.
// - Displays that fill the frame, half of them matte, are called "emits" in at least 60%.
// - Elsewhere (farther, outdoors, through a window) at least 95% get no answer.
// - "Behind glass", "lamp" and "car outdoors" set no bound: only judged pairs show them.
// If one of the three fails, nothing of this becomes a part of the product.
