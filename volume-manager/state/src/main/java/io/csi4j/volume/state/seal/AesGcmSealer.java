package io.csi4j.volume.state.seal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.Supplier;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Seals with AES-GCM of the JDK and keys of the host. Sealed bytes are the length of the key's id,
 * the id, a nonce of 12 random bytes, and what the cipher makes of the rest with its tag of 16
 * bytes; the id and what they are about are authenticated.
 *
 * @since 1.0
 */
public final class AesGcmSealer implements Sealer {

  private static final int NONCE = 12;
  private static final int TAG = 16;

  private final Supplier<SealingKeys> keys;
  private final SecureRandom random = new SecureRandom();

  private AesGcmSealer(Supplier<SealingKeys> keys) {
    this.keys = keys;
  }

  /** With these keys. */
  public static AesGcmSealer of(SealingKeys keys) {
    Objects.requireNonNull(keys, "keys");
    return new AesGcmSealer(() -> keys);
  }

  /**
   * With the keys in a file, read now. See {@link SealingKeys#fromFile}.
   *
   * @throws SealException if it cannot be read
   */
  public static AesGcmSealer fromFile(Path file) {
    return of(SealingKeys.fromFile(file));
  }

  /**
   * Returns a sealer that asks for the keys whenever it seals or opens; so keys change without a
   * restart. It must be quick and safe for many threads; what it throws counts as having no key.
   */
  public static AesGcmSealer asking(Supplier<SealingKeys> keys) {
    return new AesGcmSealer(Objects.requireNonNull(keys, "keys"));
  }

  @Override
  public byte[] seal(byte[] clear, String about) {
    SealingKeys now = keys();
    byte[] id = now.current().getBytes(US_ASCII);
    byte[] nonce = new byte[NONCE];
    random.nextBytes(nonce);
    byte[] sealed =
        run(Cipher.ENCRYPT_MODE, now.currentKey(), nonce, id, about, clear, 0, clear.length);
    return ByteBuffer.allocate(1 + id.length + NONCE + sealed.length)
        .put((byte) id.length)
        .put(id)
        .put(nonce)
        .put(sealed)
        .array();
  }

  @Override
  public byte[] open(byte[] sealed, String about) {
    String id = id(sealed);
    SecretKey key =
        keys()
            .key(id)
            .orElseThrow(
                () ->
                    new SealException(
                        "it is sealed with the key '"
                            + id
                            + "', which this host was not given. Give it that key."));
    int from = 1 + id.length();
    byte[] nonce = new byte[NONCE];
    System.arraycopy(sealed, from, nonce, 0, NONCE);
    int at = from + NONCE;
    return run(
        Cipher.DECRYPT_MODE,
        key,
        nonce,
        id.getBytes(US_ASCII),
        about,
        sealed,
        at,
        sealed.length - at);
  }

  @Override
  public boolean isCurrent(byte[] sealed) {
    return id(sealed).equals(keys().current());
  }

  private SealingKeys keys() {
    try {
      return Objects.requireNonNull(keys.get(), "keys");
    } catch (RuntimeException e) {
      // Not the cause: a key may be in its text.
      throw new SealException(
          "the host's sealing keys are not to be had ("
              + e.getClass().getName()
              + "). See why the host does not give them.");
    }
  }

  private static String id(byte[] sealed) {
    try {
      ByteBuffer in = ByteBuffer.wrap(sealed);
      byte[] id = new byte[Byte.toUnsignedInt(in.get())];
      in.get(id);
      if (in.remaining() < NONCE + TAG) {
        throw damaged();
      }
      String text = new String(id, US_ASCII);
      if (!text.matches("[A-Za-z0-9._-]+")) {
        throw damaged();
      }
      return text;
    } catch (BufferUnderflowException e) {
      throw damaged();
    }
  }

  private static byte[] run(
      int mode,
      SecretKey key,
      byte[] nonce,
      byte[] id,
      String about,
      byte[] in,
      int from,
      int length) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, key, new GCMParameterSpec(8 * TAG, nonce));
      cipher.updateAAD(id);
      cipher.updateAAD(new byte[] {0});
      cipher.updateAAD(about.getBytes(UTF_8));
      return cipher.doFinal(in, from, length);
    } catch (GeneralSecurityException e) {
      throw damaged();
    }
  }

  private static SealException damaged() {
    return new SealException(
        "its seal is broken: it was changed, was copied from elsewhere, or was sealed with another"
            + " key of the same id. Restore it from a copy, or give the right key.");
  }

  @Override
  public String toString() {
    return "AesGcmSealer";
  }
}
