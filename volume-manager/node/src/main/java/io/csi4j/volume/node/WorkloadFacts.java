package io.csi4j.volume.node;

import io.csi4j.client.model.VolumeContext;
import io.csi4j.volume.model.VolumeUse;
import java.util.HashMap;
import java.util.Map;
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
 * WorkloadFacts facts = WorkloadFacts.of(usage).withServiceAccount("web");
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

  /** Returns the names of the workload and of its namespace. */
  public static WorkloadFacts of(VolumeUse usage) {
    return new WorkloadFacts(Map.of())
        .with("pod.name", usage.workload().value())
        .with("pod.namespace", usage.volume().namespace().value());
  }

  /**
   * Returns these facts with the unique id of the workload, for a host that has one beside its
   * name: {@code pod.uid}.
   */
  public WorkloadFacts withUid(String value) {
    return with("pod.uid", value);
  }

  /** Returns these facts with the account of the workload: {@code serviceAccount.name}. */
  public WorkloadFacts withServiceAccount(String value) {
    return with("serviceAccount.name", value);
  }

  /** The facts under these keys, which a message had. */
  static WorkloadFacts of(Map<String, String> entries) {
    return new WorkloadFacts(entries);
  }

  /** The facts by their keys. */
  Map<String, String> entries() {
    return entries;
  }

  private WorkloadFacts with(String name, String value) {
    Map<String, String> all = new HashMap<>(entries);
    all.put(PREFIX + name, value);
    return new WorkloadFacts(all);
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
}
