package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.names.Names;

/**
 * The prefix of all keys of one store. Two stores in one etcd have different prefixes, of which
 * none begins with the other.
 *
 * @param value the prefix; a slash is added at its end if it is missing
 * @since 1.0
 */
public record EtcdPrefix(String value) {

  /** The prefix for a single store. */
  public static final EtcdPrefix DEFAULT = new EtcdPrefix("/csi4j/");

  /** Refuses a value that cannot be a prefix. */
  public EtcdPrefix {
    Names.check("prefix of keys", value);
    value = value.endsWith("/") ? value : value + "/";
  }

  /** Returns the prefix with this value. */
  public static EtcdPrefix of(String value) {
    return new EtcdPrefix(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
