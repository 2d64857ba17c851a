package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.names.Names;

/**
 * The prefix of all keys of one store. Two stores in one etcd have different ones, of which none
 * begins with the other.
 *
 * @param value ends with a slash, which is added where it is missing
 * @since 1.0
 */
public record EtcdPrefix(String value) {

  /** For who has one store. */
  public static final EtcdPrefix DEFAULT = new EtcdPrefix("/csi4j/");

  /** Refuses what cannot be a name. */
  public EtcdPrefix {
    Names.check("prefix of keys", value);
    value = value.endsWith("/") ? value : value + "/";
  }

  /** The one with this name. */
  public static EtcdPrefix of(String value) {
    return new EtcdPrefix(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
