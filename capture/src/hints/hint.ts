export type Hint = 'dark' | 'blurred' | 'small' | 'tooSmall' | 'finger' | 'tilted';
