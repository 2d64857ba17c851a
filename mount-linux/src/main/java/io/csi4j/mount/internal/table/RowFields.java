package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.text.ByteSearch;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.Propagation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** Interprets the fields of a row of the kernel's table, one by one. */
final class RowFields {

  private static final byte[] SHARED = bytes("shared:");
  private static final byte[] MASTER = bytes("master:");
  private static final byte[] PROPAGATE_FROM = bytes("propagate_from:");
  private static final byte[] UNBINDABLE = bytes("unbindable");

  private RowFields() {}

  /** Returns a number from 0 on, or -1 for an invalid or too large one. */
  static int number(byte[] from, int start, int end) {
    if (start >= end || end - start > 10) {
      return -1;
    }
    long number = 0;
    for (int i = start; i < end; i++) {
      int digit = from[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number > Integer.MAX_VALUE ? -1 : (int) number;
  }

  /**
   * Returns the text with each backslash and three octal digits replaced by their byte. Other text
   * is not changed.
   */
  static byte[] unescape(byte[] text) {
    int at = ByteSearch.indexOf((byte) '\\', text, 0, text.length);
    if (at == text.length) {
      return text;
    }
    byte[] plain = new byte[text.length];
    System.arraycopy(text, 0, plain, 0, at);
    int length = at;
    while (at < text.length) {
      if (text[at] == '\\' && at + 3 < text.length && isOctal(text, at + 1)) {
        plain[length++] =
            (byte) ((text[at + 1] - '0') << 6 | (text[at + 2] - '0') << 3 | (text[at + 3] - '0'));
        at += 4;
      } else {
        plain[length++] = text[at++];
      }
    }
    return Arrays.copyOf(plain, length);
  }

  private static boolean isOctal(byte[] text, int at) {
    return text[at] >= '0'
        && text[at] <= '3'
        && text[at + 1] >= '0'
        && text[at + 1] <= '7'
        && text[at + 2] >= '0'
        && text[at + 2] <= '7';
  }

  /** Returns the flags among these words; other words, of newer kernels, are skipped. */
  static Set<MountFlag> flags(byte[] words) {
    Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    for (KernelText word : split(words, ',')) {
      for (MountFlag flag : MountFlag.values()) {
        if (word.is(flag.word())) {
          flags.add(flag);
        }
      }
    }
    return flags;
  }

  /**
   * Returns the optional fields, with one blank between them, except for {@link #propagateFrom}.
   */
  static Propagation.Tags propagation(byte[] fields) {
    OptionalInt peerGroup = OptionalInt.empty();
    OptionalInt master = OptionalInt.empty();
    boolean unbindable = false;
    List<KernelText> unknown = new ArrayList<>();
    for (KernelText field : split(fields, ' ')) {
      byte[] tag = field.bytes();
      if (group(tag, SHARED) >= 0) {
        peerGroup = OptionalInt.of(group(tag, SHARED));
      } else if (group(tag, MASTER) >= 0) {
        master = OptionalInt.of(group(tag, MASTER));
      } else if (Arrays.equals(tag, UNBINDABLE)) {
        unbindable = true;
      } else if (group(tag, PROPAGATE_FROM) < 0) {
        unknown.add(field);
      }
    }
    return new Propagation.Tags(peerGroup, master, unbindable, unknown);
  }

  /**
   * Returns the group that one of the optional fields names as the source of mounts, if one does.
   */
  static OptionalInt propagateFrom(byte[] fields) {
    return split(fields, ' ').stream()
        .mapToInt(field -> group(field.bytes(), PROPAGATE_FROM))
        .filter(group -> group >= 0)
        .findFirst();
  }

  /**
   * Returns the options of the filesystem. Their escapes stay, so that a comma in one stays inside
   * it.
   */
  static List<KernelText> options(byte[] text) {
    return List.copyOf(split(text, ','));
  }

  /** Adds the parts between the separators to others; empty ones are dropped. */
  static void split(byte[] text, int begin, int end, char separator, List<KernelText> parts) {
    int from = begin;
    for (int i = begin; i <= end; i++) {
      if (i == end || text[i] == separator) {
        if (i > from) {
          parts.add(KernelText.ofBytes(text, from, i));
        }
        from = i + 1;
      }
    }
  }

  private static List<KernelText> split(byte[] text, char separator) {
    List<KernelText> parts = new ArrayList<>();
    split(text, 0, text.length, separator, parts);
    return parts;
  }

  /** Returns the number after the word, or -1 if the tag does not have that form. */
  private static int group(byte[] tag, byte[] word) {
    boolean isIt =
        tag.length > word.length && Arrays.equals(tag, 0, word.length, word, 0, word.length);
    return isIt ? number(tag, word.length, tag.length) : -1;
  }

  private static byte[] bytes(String word) {
    return word.getBytes(StandardCharsets.US_ASCII);
  }
}
