package io.csi4j.volume.catalog;

import java.util.regex.Pattern;

/**
 * The identity of a cluster: of all control planes that share a catalog. A storage system sees it
 * in the names of the volumes and snapshots that the cluster has asked for, so two clusters never
 * get the same volume, and each knows its own.
 *
 * @param value 13 lower-case letters and digits, which are drawn at random when the identity is
 *     made
 * @since 1.0
 */
public record ClusterIdentity(String value) {

  private static final Pattern FORM = Pattern.compile("[a-z2-7]{13}");

  /** Refuses what no identity can be. */
  public ClusterIdentity {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "The identity of a cluster has 13 characters of a-z and 2-7, not '" + value + "'.");
    }
  }

  /** Returns the identity with this value, such as one from a configuration. */
  public static ClusterIdentity of(String value) {
    return new ClusterIdentity(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
