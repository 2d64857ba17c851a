package io.csi4j.volume.claim.etcd;

/**
 * A password; it is never shown in a text or log.
 *
 * @since 1.0
 */
public final class EtcdPassword {

  private final String text;

  private EtcdPassword(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(
          "The password for etcd is empty. Set the password of the user.");
    }
    this.text = text;
  }

  /** Returns the password with this text. */
  public static EtcdPassword of(String text) {
    return new EtcdPassword(text);
  }

  String text() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EtcdPassword password && password.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return "(password)";
  }
}
