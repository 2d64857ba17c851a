package io.csi4j.volume.claim;

import io.csi4j.client.model.PublishContext;
import java.util.Objects;

/**
 * The state of an attachment: what the storage system was told about a volume and the node of a
 * claim. Kept with the claim, so that what was done is undone later, even if the plugin offers
 * something else by then.
 *
 * @since 1.0
 */
public sealed interface NodeAttachment {

  /** The storage system need not be told. */
  record NotNeeded() implements NodeAttachment {}

  /**
   * The storage system may have been told to attach the volume to the node, or is about to be.
   *
   * @param repeated whether the claim was acquired more than once: a refusal of one call does not
   *     say then what an earlier one has done
   */
  record InDoubt(boolean repeated) implements NodeAttachment {

    /** The state of a claim that was acquired once. */
    public InDoubt() {
      this(false);
    }
  }

  /**
   * The volume is attached.
   *
   * @param context the context that the node needs to use it
   */
  record Attached(PublishContext context) implements NodeAttachment {

    /** Checks that it is there. */
    public Attached {
      Objects.requireNonNull(context, "context");
    }
  }
}
