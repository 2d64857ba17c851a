package io.csi4j.volume.model;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.volume.internal.names.Names;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Facts about a workload that a plugin receives when a volume is published for the workload. The
 * facts have the keys that a kubelet sends and plugins read, such as {@code
 * csi.storage.k8s.io/pod.name}. They are added to the volume's context only in {@code
 * NodePublishVolume}. They are not added when the volume is staged, because a volume is staged once
 * for all its workloads.
 *
 * <p>In CSI, a call contains only the context of the volume. The additional keys are a convention
 * of orchestrators for plugins that need them, so facts are sent only if a request contains them.
 *
 * <p>Facts are not secrets: claims and messages contain them in clear text.
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
  private static final String TOKENS = PREFIX + "serviceAccount.tokens";

  private final Map<String, String> entries;

  private WorkloadFacts(Map<String, String> entries) {
    this.entries = Map.copyOf(entries);
  }

  /** Returns facts with the name of the workload and the name of the volume's namespace. */
  public static WorkloadFacts of(VolumeUse usage) {
    return new WorkloadFacts(Map.of())
        .with("pod.name", usage.workload().value())
        .with("pod.namespace", usage.volume().namespace().value());
  }

  /**
   * Returns these facts with the unique id of the workload ({@code pod.uid}), for a host whose
   * workloads have a unique id in addition to their name.
   *
   * @throws IllegalArgumentException if the id is empty, longer than 1024 characters, or has a
   *     control character
   */
  public WorkloadFacts withUid(String value) {
    return with("pod.uid", value);
  }

  /**
   * Returns these facts with the account of the workload ({@code serviceAccount.name}).
   *
   * @throws IllegalArgumentException if the account is empty, longer than 1024 characters, or has a
   *     control character
   */
  public WorkloadFacts withServiceAccount(String value) {
    return with("serviceAccount.name", value);
  }

  /**
   * Returns facts with these entries, which {@link #entries} returned before, possibly in another
   * version of csi4j.
   *
   * @throws IllegalArgumentException if a key does not begin with the prefix of a kubelet's keys,
   *     or is the key for tokens, which are secrets; or if a value is empty, longer than 1024
   *     characters, or has a control character
   */
  public static WorkloadFacts from(Map<String, String> entries) {
    entries.forEach(WorkloadFacts::check);
    return new WorkloadFacts(entries);
  }

  private static void check(String key, String value) {
    if (!key.startsWith(PREFIX)) {
      throw new IllegalArgumentException(
          "The fact '"
              + SafeText.escape(key)
              + "' of a workload has a key that no kubelet uses. Begin it with '"
              + PREFIX
              + "'.");
    }
    if (key.equals(TOKENS)) {
      throw new IllegalArgumentException(
          "The tokens of a workload are not facts: records would contain them in clear text. "
              + "Pass them to the plugin as secrets of the volume.");
    }
    Names.check("key of a fact", key);
    Names.check("fact '" + key + "' of the workload", value);
  }

  /** Returns the facts as a map with the keys that the plugin receives. */
  public Map<String, String> entries() {
    return entries;
  }

  private WorkloadFacts with(String name, String value) {
    check(PREFIX + name, value);
    Map<String, String> all = new HashMap<>(entries);
    all.put(PREFIX + name, value);
    return new WorkloadFacts(all);
  }

  /**
   * Returns the keys that both these facts and the context of a volume contain, in order; empty if
   * there is no conflict.
   */
  public SortedSet<String> keysIn(VolumeContext own) {
    SortedSet<String> both = new TreeSet<>(entries.keySet());
    both.retainAll(own.keys());
    return both;
  }

  /**
   * Returns the context of a volume with these facts added.
   *
   * @throws IllegalArgumentException if the context already contains a key of these facts
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
