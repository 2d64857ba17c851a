package io.csi4j.volume.internal.catalog;

import io.csi4j.client.controller.Volume;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.CreationName;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.VolumeKey;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names under which storage systems are asked for volumes and snapshots. Those of a cluster
 * with an identity are {@code csi4j-IDENTITY-REST}; the others are {@code csi4j-REST}.
 */
public final class ClusterNames {

  private static final String PREFIX = "csi4j-";

  /** A volume's name has 39 bytes then; the names that Kubernetes makes have 40. */
  private static final int UNIQUE = 19;

  private static final int IDENTITY = 13;

  private static final Pattern OF_A_CLUSTER =
      Pattern.compile(
          "%s([a-z2-7]{%d})-[a-z2-7]{%d}(?![a-z2-7])".formatted(PREFIX, IDENTITY, UNIQUE));

  /** What the spec lets a name have. */
  private static final int MOST_BYTES = 128;

  private ClusterNames() {}

  /** Returns an identity that no cluster has. */
  public static ClusterIdentity newIdentity() {
    return ClusterIdentity.of(random("cluster").substring(0, IDENTITY));
  }

  /**
   * Returns a name for a new volume. No other creation has it, not even a later one of the same
   * key: a call of a process that has stopped may be late, and concerns no later volume then.
   */
  public static CreationName volume(VolumeKey key, Optional<ClusterIdentity> cluster) {
    String unique = random("catalog", key.namespace().value(), key.id());
    return new CreationName(
        cluster
            .map(it -> prefix(it) + unique.substring(0, UNIQUE))
            .orElseGet(() -> PREFIX + unique));
  }

  private static String random(String... parts) {
    return HashedName.of(String.join("\n", parts), UUID.randomUUID().toString());
  }

  /**
   * Returns the name under which a cluster asks for a snapshot. It is always the same for a name
   * that the host has chosen: the same request finds the same snapshot.
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

  /** Returns the cluster that made a name; nothing if the name carries no identity. */
  public static Optional<ClusterIdentity> cluster(CreationName name) {
    Matcher form = OF_A_CLUSTER.matcher(name.value());
    return form.matches() ? Optional.of(ClusterIdentity.of(form.group(1))) : Optional.empty();
  }

  /**
   * Returns the name that a cluster has given a volume, if the plugin shows it in the id of the
   * volume or in its context. Nothing else of the context is returned.
   */
  public static Optional<CreationName> in(Volume volume, ClusterIdentity cluster) {
    return Stream.concat(
            Stream.of(volume.id().value()), volume.context().reveal().values().stream())
        .flatMap(text -> OF_A_CLUSTER.matcher(text).results())
        .filter(found -> found.group(1).equals(cluster.value()))
        .map(found -> new CreationName(found.group()))
        .findFirst();
  }
}
