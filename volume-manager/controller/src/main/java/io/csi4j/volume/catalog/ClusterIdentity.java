package io.csi4j.volume.catalog;

import java.util.regex.Pattern;

/**
 * The identity of a cluster, which is the set of all control planes that share a catalog. The
 * identity is part of the names of the volumes and snapshots that the cluster requests, so two
 * clusters never get the same volume and each recognizes its own.
 *
 * @param value 13 lower-case letters and digits, drawn at random when the identity is created
 * @since 1.0
 */
public record ClusterIdentity(String value) {

  private static final Pattern FORM = Pattern.compile("[a-z2-7]{13}");

  /** Rejects text that cannot be an identity. */
  public ClusterIdentity {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "The identity of a cluster has 13 characters of a-z and 2-7, not '" + value + "'.");
    }
  }

  /** Returns the identity with this value, for example from a configuration. */
  public static ClusterIdentity of(String value) {
    return new ClusterIdentity(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
