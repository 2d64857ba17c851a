package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * The propagation of mounts between a host and a container below a mount.
 *
 * @since 1.0
 */
public enum Propagation {
  /** None ({@code rprivate}). */
  PRIVATE("private", "rprivate"),
  /** The container sees the mounts of the host ({@code rslave}). */
  HOST_TO_CONTAINER("host-to-container", "rslave"),
  /** Each sees the mounts of the other ({@code rshared}). */
  BIDIRECTIONAL("bidirectional", "rshared");

  private final String word;
  private final String kernelWord;

  Propagation(String word, String kernelWord) {
    this.word = word;
    this.kernelWord = kernelWord;
  }

  /**
   * Parses {@link #word()} or {@link #kernelWord()}, in upper or lower case, {@code host-to-task},
   * or an empty text, which means private.
   *
   * @throws IllegalArgumentException for any other word, naming the valid ones
   */
  public static Propagation parse(String text) {
    String asked = text.toLowerCase(Locale.ROOT);
    if (asked.isEmpty()) {
      return PRIVATE;
    }
    for (Propagation each : values()) {
      if (asked.equals(each.word) || asked.equals(each.kernelWord)) {
        return each;
      }
    }
    if (asked.equals("host-to-task") || asked.equals("hosttocontainer")) {
      return HOST_TO_CONTAINER;
    }
    throw new IllegalArgumentException(
        "'"
            + PrintableText.escape(text)
            + "' is not a mount propagation. Use private, host-to-container or bidirectional.");
  }

  /** Returns the word of a job description, such as {@code host-to-container}. */
  public String word() {
    return word;
  }

  /** Returns the word of mount(8), such as {@code rslave}. */
  public String kernelWord() {
    return kernelWord;
  }

  /**
   * The propagation of a mount, as its row in the kernel's table shows it. Without any value it is
   * private. {@link io.csi4j.mount.MountTable#propagateFrom} returns the group behind an invisible
   * master.
   *
   * @param peerGroup the group that sends and receives, if any ({@code shared})
   * @param master the group that it only receives from, if any ({@code master})
   * @param unbindable whether it cannot be bound
   * @param unknown words of newer kernels, kept unchanged
   * @since 1.0
   */
  public record Tags(
      OptionalInt peerGroup, OptionalInt master, boolean unbindable, List<KernelText> unknown) {

    /** Neither sends nor receives. */
    public static final Tags PRIVATE =
        new Tags(OptionalInt.empty(), OptionalInt.empty(), false, List.of());

    /** Copies the list. */
    public Tags {
      unknown = List.copyOf(unknown);
    }

    /** Returns whether mounts made below it appear elsewhere. */
    public boolean sends() {
      return peerGroup.isPresent();
    }

    /** Returns whether mounts made elsewhere appear below it. */
    public boolean receives() {
      return peerGroup.isPresent() || master.isPresent();
    }

    /** Returns the words of the kernel's table, {@code private} if there are none. */
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
}
