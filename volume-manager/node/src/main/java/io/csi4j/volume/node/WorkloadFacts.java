package io.csi4j.volume.node;

import io.csi4j.client.model.VolumeContext;
import io.csi4j.volume.model.VolumeUse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What a plugin is told of the workload when a volume is published for it, in the keys of a
 * kubelet, which plugins read: {@code csi.storage.k8s.io/pod.name} and the like. They are added to
 * the context of the volume in {@code NodePublishVolume} alone: never where the volume is staged,
 * which is done once for all its workloads.
 *
 * <p>By the spec the context of a call is that of the volume; these keys are a custom of
 * orchestrators, for plugins that ask for it. So they are sent only for a request that has them.
 *
 * <pre>{@code
 * WorkloadFacts facts = WorkloadFacts.of(usage).serviceAccount("web").build();
 * MountRequest request =
 *     MountRequest.builder(plugin, usage, handle, AccessMode.SINGLE_NODE_WRITER)
 *         .workloadFacts(facts) // in NodePublishVolume, and nowhere else
 *         .build();
 * }</pre>
 *
 * @since 1.0
 */
public final class WorkloadFacts {

  private static final String PREFIX = "csi.storage.k8s.io/";

  private final Map<String, String> entries;

  private WorkloadFacts(Map<String, String> entries) {
    this.entries = Map.copyOf(entries);
  }

  /** Begins with the names of the workload and of its namespace. */
  public static Builder of(VolumeUse usage) {
    return new Builder()
        .with("pod.name", usage.workload().value())
        .with("pod.namespace", usage.volume().namespace().value());
  }

  /**
   * Returns the context of a volume with these facts beside it.
   *
   * @throws IllegalArgumentException if the context has one of the keys itself
   */
  public VolumeContext addedTo(VolumeContext own) {
    return own.with(entries);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WorkloadFacts that && entries.equals(that.entries);
  }

  @Override
  public int hashCode() {
    return entries.hashCode();
  }

  @Override
  public String toString() {
    return "WorkloadFacts" + new TreeMap<>(entries).keySet();
  }

  /** Collects {@link WorkloadFacts}. */
  public static final class Builder {

    private final Map<String, String> entries = new LinkedHashMap<>();

    private Builder() {}

    private Builder with(String name, String value) {
      entries.put(PREFIX + name, Objects.requireNonNull(value, name));
      return this;
    }

    /** The unique id of the workload, where the host has one beside its name: {@code pod.uid}. */
    public Builder uid(String value) {
      return with("pod.uid", value);
    }

    /** The account under which the workload runs: {@code serviceAccount.name}. */
    public Builder serviceAccount(String value) {
      return with("serviceAccount.name", value);
    }

    /** Returns the facts. */
    public WorkloadFacts build() {
      return new WorkloadFacts(entries);
    }
  }
}
