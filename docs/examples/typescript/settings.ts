// What the examples are told: eval "$(lastro sandbox env)".

export function setting(name: string, otherwise?: string): string {
  const value = process.env[name] ?? otherwise;
  if (value === undefined) throw new Error(`${name} is not set: eval "$(lastro sandbox env)"`);
  return value;
}

export const ACCESS = {
  baseUrl: setting("LASTRO_API_URL"),
  clientId: setting("LASTRO_CLIENT_ID"),
  clientSecret: setting("LASTRO_CLIENT_SECRET"),
};

/** The payer's bank. In the sandbox the simulated phone is it. */
export async function pay(qrcodeData: string): Promise<void> {
  const answer = await fetch(`${setting("LASTRO_SIMULATOR_URL")}/phone/pay`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ qrcodeData }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

export const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200));
