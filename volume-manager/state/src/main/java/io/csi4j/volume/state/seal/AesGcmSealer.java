package io.csi4j.volume.state.seal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A sealer that uses AES-GCM of the JDK with keys of the host. Sealed bytes are the length of the
 * key's id, the id, a nonce of 12 random bytes, and the ciphertext with its tag of 16 bytes; the id
 * and the subject of the bytes are authenticated.
 *
 * @since 1.0
 */
public final class AesGcmSealer implements Sealer {

  private static final int NONCE = 12;
  private static final int TAG = 16;

  private final Supplier<Keys> keys;
  private final SecureRandom random = new SecureRandom();

  private AesGcmSealer(Supplier<Keys> keys) {
    this.keys = keys;
  }

  /** Returns a sealer with these keys. */
  public static AesGcmSealer of(Keys keys) {
    Objects.requireNonNull(keys, "keys");
    return new AesGcmSealer(() -> keys);
  }

  /**
   * Returns a sealer with the keys in a file, which is read now. See {@link Keys#fromFile}.
   *
   * @throws SealException if the file cannot be read
   */
  public static AesGcmSealer fromFile(Path file) {
    return of(Keys.fromFile(file));
  }

  /**
   * Returns a sealer that requests the keys for each operation, so that keys can change without a
   * restart. The supplier must be fast and thread-safe; if it throws, that counts as having no key.
   */
  public static AesGcmSealer asking(Supplier<Keys> keys) {
    return new AesGcmSealer(Objects.requireNonNull(keys, "keys"));
  }

  @Override
  public byte[] seal(byte[] clear, String about) {
    Keys now = keys();
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
                            + "', which this host does not have. Give it that key."));
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

  private Keys keys() {
    try {
      return Objects.requireNonNull(keys.get(), "keys");
    } catch (RuntimeException e) {
      // The cause is omitted because its text may contain a key.
      throw new SealException(
          "the host did not provide its sealing keys ("
              + e.getClass().getName()
              + "). Check why it does not provide them.");
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

  /**
   * The AES keys of a host by their ids: the current key, and former keys with which older values
   * were sealed. To change the key, put a new one first; the old key is needed until no value is
   * sealed with it. The text shows only the ids.
   *
   * @since 1.0
   */
  public static final class Keys {

    private static final int MAX_ID = 64;

    /** Maximum size of a key file. */
    private static final int MOST_BYTES = 1 << 20;

    private static final Set<PosixFilePermission> OF_OTHERS =
        Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private final String current;
    private final Map<String, SecretKey> keys;

    private Keys(String current, Map<String, SecretKey> keys) {
      this.current = current;
      this.keys = keys;
    }

    /**
     * Returns one key, to seal with.
     *
     * @param id 1 to 64 of the characters {@code A-Z a-z 0-9 . _ -}; sealed bytes contain it in
     *     clear text
     * @param key 16 or 32 bytes
     */
    public static Keys of(String id, byte[] key) {
      return new Keys(checked(id), Map.of(id, aes(id, key)));
    }

    /** Returns these keys with a former key, which only opens older values. */
    public Keys withFormer(String id, byte[] key) {
      Map<String, SecretKey> all = new LinkedHashMap<>(keys);
      if (all.put(checked(id), aes(id, key)) != null) {
        throw new IllegalArgumentException(
            "The sealing key '" + id + "' is given twice. Give each key its own id.");
      }
      return new Keys(current, Map.copyOf(all));
    }

    /**
     * Reads the keys in a file: one line {@code ID BASE64} for each, the current key first. Empty
     * lines and lines that begin with {@code #} are ignored. Only the file's owner may have
     * permission to read it.
     *
     * @throws SealException if the file cannot be read, others may read it, or a line is invalid
     */
    public static Keys fromFile(Path file) {
      String failed = "Reading the sealing keys in '" + file + "' failed: ";
      try {
        PosixFileAttributes there =
            Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!there.isRegularFile()) {
          throw new SealException(failed + "it is not a regular file. Name the file itself.");
        }
        if (there.permissions().stream().anyMatch(OF_OTHERS::contains)) {
          throw new SealException(
              failed + "other users may read or write it. Set its mode to 0600.");
        }
        if (there.size() > MOST_BYTES) {
          throw new SealException(
              failed
                  + "it has "
                  + there.size()
                  + " bytes, but a key file may have at most "
                  + MOST_BYTES
                  + ". Name the file with the keys.");
        }
        return parsed(Files.readString(file, StandardCharsets.US_ASCII), failed);
      } catch (IOException e) {
        throw new SealException(
            failed
                + "it is missing or not readable. Name an ASCII file that this process can read.",
            e);
      }
    }

    private static Keys parsed(String text, String failed) {
      Optional<Keys> keys = Optional.empty();
      int number = 0;
      for (String line : text.split("\n", -1)) {
        number++;
        String entry = line.strip();
        if (entry.isEmpty() || entry.startsWith("#")) {
          continue;
        }
        String[] parts = entry.split("\\s+", -1);
        try {
          if (parts.length != 2) {
            throw new IllegalArgumentException("A line is an id and a key in base64.");
          }
          byte[] key = Base64.getDecoder().decode(parts[1]);
          keys =
              Optional.of(
                  keys.isEmpty() ? of(parts[0], key) : keys.get().withFormer(parts[0], key));
        } catch (IllegalArgumentException e) {
          // The cause is omitted because the decoder's message may quote a key.
          throw new SealException(
              failed
                  + "line "
                  + number
                  + " is not an id with a key of 16 or 32 bytes in base64, or repeats an id. "
                  + "Correct it.");
        }
      }
      return keys.orElseThrow(() -> new SealException(failed + "it has no key. Add one."));
    }

    private static String checked(String id) {
      if (!id.matches("[A-Za-z0-9._-]{1," + MAX_ID + "}")) {
        throw new IllegalArgumentException(
            "The id of a sealing key has 1 to 64 of the characters A-Z a-z 0-9 . _ -; this one "
                + "has others, or "
                + id.length()
                + " characters.");
      }
      return id;
    }

    private static SecretKey aes(String id, byte[] key) {
      if (key.length != 16 && key.length != 32) {
        throw new IllegalArgumentException(
            "The sealing key '" + id + "' has " + key.length + " bytes. Give one of 16 or 32.");
      }
      return new SecretKeySpec(key, "AES");
    }

    /** Returns the id of the current key. */
    String current() {
      return current;
    }

    /** Returns the current key. */
    SecretKey currentKey() {
      return Objects.requireNonNull(keys.get(current));
    }

    /** Returns the key with this id. */
    Optional<SecretKey> key(String id) {
      return Optional.ofNullable(keys.get(id));
    }

    @Override
    public String toString() {
      return "Keys[current=" + current + ", all=" + keys.keySet().stream().sorted().toList() + "]";
    }
  }
}
