package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every public type of an exported package says in which version it came. */
class SinceTest {

  private static final Pattern TYPE =
      Pattern.compile(
          "(?m)^public (?:(?:abstract|final|sealed|non-sealed|static) )*"
              + "(?:class|interface|record|enum|@interface) (\\w+)");

  private static final Pattern SINCE = Pattern.compile("(?m)^ \\* @since [1-9]\\d*\\.\\d+$");

  @Test
  void everyPublicTypeSaysInWhichVersionItCame() throws IOException {
    List<String> without = new ArrayList<>();
    int types = 0;
    for (String module : PublishedModules.modules()) {
      ModuleDescriptor descriptor = PublishedModules.compiled(module).descriptor();
      for (ModuleDescriptor.Exports exported : descriptor.exports()) {
        if (!exported.isQualified()) {
          for (Path file : sources(module, exported.source())) {
            String source = Files.readString(file);
            if (TYPE.matcher(source).find()) {
              types++;
              if (!says(source)) {
                without.add(exported.source() + "." + file.getFileName());
              }
            }
          }
        }
      }
    }
    assertThat(types).isGreaterThan(300);
    assertThat(without).isEmpty();
  }

  @Test
  void aTypeThatDoesNotSayItIsFound() {
    assertThat(says("/**\n * A thing.\n *\n * @since 1.0\n */\npublic final class Thing {}\n"))
        .isTrue();
    assertThat(says("/** A thing. */\npublic record Thing() {}\n")).isFalse();
    String onlyOfAPart =
        """
        /** A thing. */
        public interface Thing {

          /**
           * A part.
           *
           * @since 1.0
           */
          void part();
        }
        """;
    assertThat(says(onlyOfAPart)).isFalse();
    assertThat(says("/**\n * A thing.\n *\n * @since next\n */\npublic class Thing {}\n"))
        .isFalse();
  }

  /** Whether the comment of the first public type has the tag. */
  private static boolean says(String source) {
    Matcher type = TYPE.matcher(source);
    if (!type.find()) {
      return false;
    }
    String before = source.substring(0, type.start());
    return SINCE.matcher(before.substring(Math.max(0, before.lastIndexOf("\n/**")))).find();
  }

  private static List<Path> sources(String module, String exported) throws IOException {
    Path directory =
        PublishedModules.ROOT
            .resolve(module)
            .resolve("src/main/java")
            .resolve(exported.replace('.', '/'));
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }
}
