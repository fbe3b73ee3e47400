/**
 * The environment variables with the keys of model providers. A program that came with a checkout gets none of them,
 * unless the user allows it (G11, H14).
 */
export const MODEL_KEYS: readonly string[] = [
  // Exact names, since a prefix such as `AWS_` would also match variables that ordinary checks need.
  ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  ...["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "CODEX_API_KEY"],
  ...["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ...["COPILOT_GITHUB_TOKEN", "CURSOR_API_KEY", "OPENROUTER_API_KEY", "XAI_API_KEY"],
  ...["DEEPSEEK_API_KEY", "DASHSCOPE_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY"],
  ...["MOONSHOT_API_KEY", "KIMI_API_KEY", "CEREBRAS_API_KEY", "TOGETHER_API_KEY"],
  ...["FIREWORKS_API_KEY", "PERPLEXITY_API_KEY", "COHERE_API_KEY", "ZAI_API_KEY"],
];
