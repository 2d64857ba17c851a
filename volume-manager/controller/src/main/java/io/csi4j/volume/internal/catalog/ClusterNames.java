package io.csi4j.volume.internal.catalog;

import io.csi4j.client.controller.Volume;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.VolumeKey;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names under which volumes and snapshots are requested from storage systems. Names of a
 * cluster with an identity are {@code csi4j-IDENTITY-REST}; others are {@code csi4j-REST}.
 */
public final class ClusterNames {

  private static final String PREFIX = "csi4j-";

  /** The name of a volume then has 39 bytes; the names that Kubernetes generates have 40. */
  private static final int UNIQUE = 19;

  private static final int IDENTITY = 13;

  private static final Pattern OF_A_CLUSTER =
      Pattern.compile(
          "%s([a-z2-7]{%d})-[a-z2-7]{%d}(?![a-z2-7])".formatted(PREFIX, IDENTITY, UNIQUE));

  /** The maximum length of a name in the CSI spec. */
  private static final int MOST_BYTES = 128;

  private ClusterNames() {}

  /** Returns a new, unique identity. */
  public static ClusterIdentity newIdentity() {
    return ClusterIdentity.of(random("cluster").substring(0, IDENTITY));
  }

  /**
   * Returns a name for a new volume. No other creation has the same name, not even a later one of
   * the same key: a late call of a process that has stopped then affects no later volume.
   */
  public static String volume(VolumeKey key, Optional<ClusterIdentity> cluster) {
    String unique = random("catalog", key.namespace().value(), key.id());
    return cluster
        .map(it -> prefix(it) + unique.substring(0, UNIQUE))
        .orElseGet(() -> PREFIX + unique);
  }

  private static String random(String... parts) {
    return HashedName.of(String.join("\n", parts), UUID.randomUUID().toString());
  }

  /**
   * Returns the name under which a cluster requests a snapshot. The result is always the same for
   * one name of the host, so that a repeated request finds the same snapshot.
   */
  public static String snapshot(String name, ClusterIdentity cluster) {
    String readable = prefix(cluster) + name;
    return readable.getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES
        ? readable
        : prefix(cluster) + HashedName.of("snapshot", name);
  }

  private static String prefix(ClusterIdentity cluster) {
    return PREFIX + cluster + "-";
  }

  /** Returns the cluster that created a name; empty if the name contains no identity. */
  public static Optional<ClusterIdentity> cluster(String name) {
    Matcher form = OF_A_CLUSTER.matcher(name);
    return form.matches() ? Optional.of(ClusterIdentity.of(form.group(1))) : Optional.empty();
  }

  /**
   * Returns the name that a cluster gave to a volume, if the plugin shows it in the id or the
   * context of the volume. No other part of the context is returned.
   */
  public static Optional<String> in(Volume volume, ClusterIdentity cluster) {
    return Stream.concat(
            Stream.of(volume.id().value()), volume.context().reveal().values().stream())
        .flatMap(text -> OF_A_CLUSTER.matcher(text).results())
        .filter(found -> found.group(1).equals(cluster.value()))
        .map(found -> found.group())
        .findFirst();
  }
}
