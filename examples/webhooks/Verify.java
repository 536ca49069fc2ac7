// The body of the message is stdin. Exits with 0 if it is from the service, otherwise with 1.
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Verify {
    /** The body is exactly as received, before it is parsed. */
    static boolean isGenuine(String id, String timestamp, String signatures, byte[] body, String secret)
            throws Exception {
        // A message that is recorded and sent again later is refused.
        if (timestamp == null || !timestamp.matches("[0-9]{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.replace("whsec_", "")), "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes());
        String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        // Two signatures while the secret is rotated.
        return signatures != null && Arrays.stream(signatures.split(" "))
                .anyMatch(one -> MessageDigest.isEqual(one.getBytes(), expected.getBytes()));
    }

    public static void main(String[] args) throws Exception {
        var env = System.getenv();
        boolean genuine = isGenuine(
                env.get("WEBHOOK_ID"),
                env.get("WEBHOOK_TIMESTAMP"),
                env.get("WEBHOOK_SIGNATURE"),
                System.in.readAllBytes(),
                env.get("WEBHOOK_SECRET"));
        System.exit(genuine ? 0 : 1);
    }
}
