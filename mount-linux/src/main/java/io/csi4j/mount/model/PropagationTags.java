package io.csi4j.mount.model;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * With whom a mount shares the mounts made below it, as its row in the kernel's table says. Nothing
 * set means private. The group behind an invisible master is a question of its own: {@link
 * io.csi4j.mount.MountTable#propagateFrom}.
 *
 * @param peerGroup the group that sends and receives, if any ({@code shared})
 * @param master the group that it only receives from, if any ({@code master})
 * @param unbindable whether it can be bound nowhere else
 * @param unknown words of newer kernels, kept as they are
 * @since 1.0
 */
public record PropagationTags(
    OptionalInt peerGroup, OptionalInt master, boolean unbindable, List<KernelText> unknown) {

  /** Neither sends nor receives. */
  public static final PropagationTags PRIVATE =
      new PropagationTags(OptionalInt.empty(), OptionalInt.empty(), false, List.of());

  /** Copies the list. */
  public PropagationTags {
    unknown = List.copyOf(unknown);
  }

  /** Whether mounts made below it appear elsewhere. */
  public boolean sends() {
    return peerGroup.isPresent();
  }

  /** Whether mounts made elsewhere appear below it. */
  public boolean receives() {
    return peerGroup.isPresent() || master.isPresent();
  }

  /** The words of the kernel's table, {@code private} if there is none. */
  @Override
  public String toString() {
    List<String> words = new ArrayList<>();
    peerGroup.ifPresent(group -> words.add("shared:" + group));
    master.ifPresent(group -> words.add("master:" + group));
    if (unbindable) {
      words.add("unbindable");
    }
    unknown.forEach(word -> words.add(word.toString()));
    return words.isEmpty() ? "private" : String.join(",", words);
  }
}
