package io.csi4j.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page for people, and the source that its Java blocks are regions of.
 *
 * @param file the page, from the root of the project
 * @param source the source, from the root of the project
 */
record Page(Path file, Path source) {

  static final Path ROOT = Path.of(System.getProperty("csi4j.root", ".."));

  private static final Pattern BLOCK =
      Pattern.compile("(?m)^(?:<!-- (\\w[^>]*?) -->\n)?```(\\w*)\n((?s:.*?))^```$");
  private static final Pattern REGION =
      Pattern.compile("(?m)^( *)// snippet: (.*)\n((?s:.*?))^ *// end$");

  static Page of(String file, String source) {
    return new Page(
        ROOT.resolve(file), ROOT.resolve("examples/src/test/java/io/csi4j/examples/" + source));
  }

  static boolean regenerating() {
    return Boolean.getBoolean("csi4j.regenerate");
  }

  String stale() {
    return file.getFileName()
        + " is stale; rewrite its blocks with: mvn test -Dtest='*PageTest,ReadmeTest'"
        + " -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true";
  }

  /** The blocks: each with its name, its language and its text. */
  List<MatchResult> blocks() throws IOException {
    return BLOCK.matcher(Files.readString(file)).results().toList();
  }

  /** The blocks in a language. */
  List<MatchResult> blocks(String language) throws IOException {
    return blocks().stream().filter(block -> block.group(2).equals(language)).toList();
  }

  /** The Java blocks by name. */
  Map<String, String> javaBlocks() throws IOException {
    Map<String, String> blocks = new LinkedHashMap<>();
    blocks("java").forEach(block -> blocks.put(String.valueOf(block.group(1)), block.group(3)));
    return blocks;
  }

  /** A block that is no Java, by its name. */
  String text(String name) throws IOException {
    return blocks("text").stream()
        .filter(block -> name.equals(block.group(1)))
        .map(block -> block.group(3).strip())
        .findFirst()
        .orElseThrow(() -> new AssertionError(file + " shows no " + name));
  }

  /** The regions of the source by name, without the indentation that they have there. */
  Map<String, String> regions() throws IOException {
    Map<String, String> regions = new LinkedHashMap<>();
    REGION
        .matcher(Files.readString(source))
        .results()
        .forEach(
            region ->
                regions.put(
                    "snippet: " + region.group(2),
                    region.group(3).replaceAll("(?m)^" + region.group(1), "").strip() + "\n"));
    return regions;
  }

  /** Rewrites the blocks of these names. */
  void regenerate(Map<String, String> contents) throws IOException {
    String page = Files.readString(file);
    for (Map.Entry<String, String> each : contents.entrySet()) {
      Pattern block =
          Pattern.compile(
              "(?m)^(<!-- " + Pattern.quote(each.getKey()) + " -->\n```\\w*\n)(?s:.*?)^```$");
      page =
          block
              .matcher(page)
              .replaceFirst(
                  found -> Matcher.quoteReplacement(found.group(1) + each.getValue() + "```"));
    }
    Files.writeString(file, page);
  }
}
