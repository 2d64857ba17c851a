package io.csi4j.client.model;

/**
 * How many nodes may use a volume at a time, and how many of them may write.
 *
 * @since 1.0
 */
public enum AccessMode {
  /** No mode is set. The client never sends this value, but some plugins return it. */
  UNSPECIFIED(false, false, false),
  /** One node, published once, read-write. */
  SINGLE_NODE_WRITER(true, false, false),
  /** One node, published once, read-only. */
  SINGLE_NODE_READER_ONLY(false, false, false),
  /** Many nodes, all read-only. */
  MULTI_NODE_READER_ONLY(false, true, false),
  /** Many nodes, one of them read-write. */
  MULTI_NODE_SINGLE_WRITER(true, true, false),
  /** Many nodes, all read-write. */
  MULTI_NODE_MULTI_WRITER(true, true, false),
  /** One workload on one node. Needs the capability SINGLE_NODE_MULTI_WRITER. */
  @Experimental
  SINGLE_NODE_SINGLE_WRITER(true, false, true),
  /** Several workloads on one node. Needs the capability SINGLE_NODE_MULTI_WRITER. */
  @Experimental
  SINGLE_NODE_MULTI_WRITER(true, false, true),
  /** A mode of a later version of the spec, which this library does not know. Never sent. */
  UNRECOGNIZED(false, false, false);

  private final boolean writable;
  private final boolean multiNode;
  private final boolean needsCapability;

  AccessMode(boolean writable, boolean multiNode, boolean needsCapability) {
    this.writable = writable;
    this.multiNode = multiNode;
    this.needsCapability = needsCapability;
  }

  /** Whether a workload may write. */
  public boolean isWritable() {
    return writable;
  }

  /** Whether several nodes may use the volume at a time. */
  public boolean isMultiNode() {
    return multiNode;
  }

  /** Whether exactly one node may use the volume at a time. */
  public boolean isSingleNode() {
    return isStated() && !multiNode;
  }

  /** Whether this is one of the seven modes of the spec. */
  public boolean isStated() {
    return this != UNSPECIFIED && this != UNRECOGNIZED;
  }

  /** Whether this mode requires a plugin that offers SINGLE_NODE_MULTI_WRITER. */
  public boolean needsSingleNodeMultiWriter() {
    return needsCapability;
  }

  /** Returns the replacement for this mode for plugins without SINGLE_NODE_MULTI_WRITER. */
  public AccessMode withoutSingleNodeMultiWriter() {
    return needsCapability ? SINGLE_NODE_WRITER : this;
  }
}
