import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Whether a webhook came from lastro. Java 11 or newer, nothing to install.
 *
 * <p>secret: as printed, with whsec_. header: gives a header's value by its name, or null, such as request::getHeader.
 * body: the bytes as they arrived, before any parsing, such as request.getInputStream().readAllBytes().
 */
public final class Verify {
    private static final long TOLERANCE_SECONDS = 300;

    private Verify() {}

    /** By the Standard Webhooks headers, which cover the time too. IllegalArgumentException: the secret is none. */
    public static boolean isFromLastro(String secret, UnaryOperator<String> header, byte[] body, long nowSeconds) {
        byte[] key = Base64.getDecoder().decode(checked(secret).substring("whsec_".length()));
        String id = header.apply("webhook-id");
        String sentAt = header.apply("webhook-timestamp");
        String signatures = header.apply("webhook-signature");
        if (id == null || id.isEmpty() || sentAt == null || !sentAt.matches("[0-9]{1,12}") || signatures == null) {
            return false;
        }
        if (Math.abs(nowSeconds - Long.parseLong(sentAt)) > TOLERANCE_SECONDS) {
            return false; // recorded, and sent again by somebody
        }
        byte[] before = (id + "." + sentAt + ".").getBytes(StandardCharsets.UTF_8);
        String expected = "v1," + Base64.getEncoder().encodeToString(hmac(key, before, body));
        for (String given : signatures.split(" ")) {
            // Two values stand there while a secret is being changed.
            if (same(expected, given)) {
                return true;
            }
        }
        return false;
    }

    /** By X-Signature-SHA256, or the old secret's while it is being changed: the body alone. Throws as above. */
    public static boolean isFromLastroShort(String secret, UnaryOperator<String> header, byte[] body) {
        byte[] key = checked(secret).getBytes(StandardCharsets.UTF_8);
        String expected = String.format("sha256=%064x", new BigInteger(1, hmac(key, body)));
        return same(expected, header.apply("X-Signature-SHA256"))
                || same(expected, header.apply("X-Signature-SHA256-Previous"));
    }

    private static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Takes as long for texts that begin alike as for others. */
    private static boolean same(String one, String other) {
        byte[] given = (other == null ? "" : other).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), given);
    }

    /** An empty secret, of a variable that was never set, would let anybody sign. */
    private static String checked(String secret) {
        if (secret == null || !secret.matches("whsec_[A-Za-z0-9+/]{4,}={0,2}")) {
            throw new IllegalArgumentException("the secret is whsec_ and base64");
        }
        return secret;
    }
}
