package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A second parser of the kernel's table, written for shortness from the same facts, which the real
 * one has to agree with. It works on text of one character per byte and says what it read in words.
 */
final class PlainParser {

  private static final Pattern ROW =
      Pattern.compile(
          "(\\d{1,10}) (\\d{1,10}) (\\d{1,10}):(\\d{1,10}) ([^ ]*) (/[^ ]*) ([^ ]*)"
              + "((?: (?!- )[^ ]*)*) - ([^ ]*) ([^ ]*) (.*)",
          Pattern.DOTALL);
  private static final Pattern ESCAPE = Pattern.compile("\\\\([0-3][0-7][0-7])");
  private static final Pattern NUMBERED = Pattern.compile("(shared|master|propagate_from):(\\d+)");

  private PlainParser() {}

  /** The rows that make sense in words; the number of the others comes last. */
  static List<String> parse(byte[] table) {
    List<String> read = new ArrayList<>();
    int skipped = 0;
    List<String> rows = new ArrayList<>(List.of(text(table).split("\n", -1)));
    if (rows.get(rows.size() - 1).isEmpty()) {
      rows.remove(rows.size() - 1);
    }
    for (String row : rows) {
      Matcher fields = ROW.matcher(row);
      if (row.length() <= 1 << 20 && fields.matches() && makesSense(fields)) {
        read.add(words(fields));
      } else {
        skipped++;
      }
    }
    read.add("skipped " + skipped);
    return read;
  }

  /** The same words about what the real parser read. */
  static List<String> words(TableRows rows) {
    List<String> words = new ArrayList<>();
    for (MountRecord record : rows.records()) {
      List<String> tags = new ArrayList<>();
      record.propagation().peerGroup().ifPresent(group -> tags.add("shared:" + group));
      record.propagation().master().ifPresent(group -> tags.add("master:" + group));
      tags.addAll(record.propagation().unbindable() ? List.of("unbindable") : List.of());
      record.propagation().unknown().forEach(tag -> tags.add(text(tag.bytes())));
      words.add(
          words(
              record.id(),
              record.parentId(),
              record.device().major(),
              record.device().minor(),
              text(record.root().bytes()),
              text(record.path().bytes()),
              record.flags().stream().map(MountFlag::word).toList(),
              tags,
              text(record.type().bytes()),
              text(record.source().bytes()),
              record.options().stream().map(KernelText::bytes).map(PlainParser::text).toList()));
    }
    words.add("skipped " + rows.skipped());
    return words;
  }

  private static boolean makesSense(MatchResult fields) {
    for (int i = 1; i <= 4; i++) {
      if (Long.parseLong(fields.group(i)) > Integer.MAX_VALUE) {
        return false;
      }
    }
    String path = plain(fields.group(6));
    return path.indexOf(0) < 0
        && Arrays.stream(path.split("/", -1)).noneMatch(part -> part.matches("\\.\\.?"))
        && clean(path).length() <= 4095;
  }

  private static String words(MatchResult row) {
    List<String> known =
        Arrays.stream(MountFlag.values())
            .map(MountFlag::word)
            .filter(List.of(row.group(7).split(",", -1))::contains)
            .toList();
    String[] numbers = {"", "", ""};
    boolean unbindable = false;
    List<String> unknown = new ArrayList<>();
    List<String> kinds = List.of("shared", "master", "propagate_from");
    for (String tag : row.group(8).split(" ", -1)) {
      Matcher numbered = NUMBERED.matcher(tag);
      if (numbered.matches() && isNumber(numbered.group(2))) {
        numbers[kinds.indexOf(numbered.group(1))] =
            numbered.group(1) + ":" + Integer.parseInt(numbered.group(2));
      } else if (tag.equals("unbindable")) {
        unbindable = true;
      } else if (!tag.isEmpty()) {
        unknown.add(tag);
      }
    }
    List<String> tags = new ArrayList<>(Arrays.asList(numbers).subList(0, 2));
    tags.add(unbindable ? "unbindable" : "");
    tags.addAll(unknown);
    tags.removeIf(String::isEmpty);
    return words(
        Integer.parseInt(row.group(1)),
        Integer.parseInt(row.group(2)),
        Integer.parseInt(row.group(3)),
        Integer.parseInt(row.group(4)),
        plain(row.group(5)),
        clean(plain(row.group(6))),
        known,
        tags,
        plain(row.group(9)),
        plain(row.group(10)),
        Arrays.stream(row.group(11).split(",", -1)).filter(o -> !o.isEmpty()).toList());
  }

  private static String words(
      int id,
      int parent,
      int major,
      int minor,
      String root,
      String path,
      Collection<String> flags,
      List<String> tags,
      String type,
      String source,
      List<String> options) {
    return List.of(
            id, parent, major, minor, root, path, new TreeSet<>(flags), tags, type, source, options)
        .toString();
  }

  private static boolean isNumber(String digits) {
    return digits.length() <= 10 && Long.parseLong(digits) <= Integer.MAX_VALUE;
  }

  private static String plain(String escaped) {
    return ESCAPE
        .matcher(escaped)
        .replaceAll(
            group ->
                Matcher.quoteReplacement(
                    String.valueOf((char) Integer.parseInt(group.group(1), 8))));
  }

  private static String clean(String path) {
    return "/"
        + Arrays.stream(path.split("/", -1))
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining("/"));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
