package io.csi4j.volume.claim.etcd;

/**
 * A password, which no text and no log ever shows.
 *
 * @since 1.0
 */
public final class EtcdPassword {

  private final String text;

  private EtcdPassword(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("The password for etcd is empty. Give the user's own.");
    }
    this.text = text;
  }

  /** The one that reads so. */
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
