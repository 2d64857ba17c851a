package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every entry point shows its use in its Javadoc, in lines that are compiled. */
class JavadocExamplesTest {

  private static final Page SOURCE = Page.of("README.md", "JavadocSnippets.java");
  private static final String PREFIX = "snippet: ";

  /** The Javadoc of the type that a file is named for. */
  private static final Pattern COMMENT =
      Pattern.compile("(?s)\\A(.*?\n/\\*\\*\n)(.*?)( \\*/\n(?:@\\w[^\n]*\n)*public )");

  private static final Pattern BLOCK =
      Pattern.compile("(?s) \\* <pre>\\{@code\n(.*?) \\* \\}</pre>\n");

  private static final Pattern FIRST_TAG = Pattern.compile("(?m)^ \\* @(?:param|since) ");

  @TestFactory
  Stream<DynamicTest> theExampleOfAFrontDoorIsARegionOfASourceThatIsCompiled() throws IOException {
    return SOURCE.regions().entrySet().stream()
        .map(
            region ->
                DynamicTest.dynamicTest(
                    region.getKey(),
                    () -> check(region.getKey().substring(PREFIX.length()), region.getValue())));
  }

  private static void check(String type, String lines) throws IOException {
    Path file = file(type);
    String source = Files.readString(file);
    String wanted =
        lines
            .lines()
            .map(line -> line.isEmpty() ? " *" : " * " + line)
            .collect(Collectors.joining("\n", "", "\n"));
    Matcher comment = COMMENT.matcher(source);
    assertThat(comment.find()).as("a comment in %s", file).isTrue();
    if (Page.regenerating()) {
      Files.writeString(
          file,
          comment.group(1) + with(comment.group(2), wanted) + source.substring(comment.end(2)));
      return;
    }
    Matcher block = BLOCK.matcher(comment.group(2));
    assertThat(block.find() ? block.group(1) : "nothing")
        .as("the example of %s; rewrite it with -Dcsi4j.regenerate=true", type)
        .isEqualTo(wanted);
  }

  private static String with(String comment, String lines) {
    String block = " * <pre>{@code\n" + lines + " * }</pre>\n";
    Matcher old = BLOCK.matcher(comment);
    if (old.find()) {
      return old.replaceFirst(Matcher.quoteReplacement(block));
    }
    Matcher tag = FIRST_TAG.matcher(comment);
    int at = tag.find() ? tag.start() : comment.length();
    String before = comment.substring(0, at);
    String gap = before.endsWith(" *\n") ? "" : " *\n";
    String after = at < comment.length() ? " *\n" : "";
    return before + gap + block + after + comment.substring(at);
  }

  private static Path file(String type) {
    List<Path> found =
        HygieneTest.files().stream()
            .filter(path -> path.endsWith(type + ".java"))
            .filter(path -> path.toString().contains("/src/main/java/"))
            .toList();
    assertThat(found).as("the source of %s", type).hasSize(1);
    return found.get(0);
  }
}
