module.exports = { presets: ['expo/internal/babel-preset'] };
