package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Holds the second column of docs/coming-from.md to the types, methods and options that there are.
 */
class ComingFromPageTest {

  private static final Pattern NAME = Pattern.compile("`([A-Z]\\w+(?:\\.\\w+)*)(?:\\(\\w*\\))?`");
  private static final Pattern METHOD = Pattern.compile("[a-z]\\w*");
  private static final Pattern OPTION = Pattern.compile("--[a-z-]+");

  /** The types that hosts see, by their names without the packages. */
  private static final Map<String, JavaClass> TYPES =
      PublishedModules.modules().stream()
          .flatMap(module -> PublishedModules.compiled(module).classes().stream())
          .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
          .filter(each -> !each.getPackageName().contains(".internal"))
          .collect(
              Collectors.toMap(
                  each -> each.getName().substring(each.getPackageName().length() + 1),
                  each -> each,
                  (one, other) -> one));

  private static List<String> column() throws IOException {
    return Files.readAllLines(Page.ROOT.resolve("docs/coming-from.md")).stream()
        .filter(line -> line.startsWith("| "))
        .map(line -> line.split(" \\| ", -1)[1])
        .toList();
  }

  @Test
  void everyNameIsThatOfATypeOrMethodThatHostsSee() throws IOException {
    List<String> unknown = new ArrayList<>();
    int seen = 0;
    for (String cell : column()) {
      for (MatchResult name : NAME.matcher(cell).results().toList()) {
        seen++;
        if (!isKnown(name.group(1))) {
          unknown.add(name.group(1));
        }
      }
    }
    assertThat(unknown).isEmpty();
    assertThat(seen).as("names on the page").isGreaterThan(30);
  }

  @Test
  void everyOptionIsOneOfTheProgram() throws IOException {
    String reference = Files.readString(Page.ROOT.resolve("docs/cli.md"));
    List<String> options =
        column().stream()
            .flatMap(cell -> OPTION.matcher(cell).results())
            .map(MatchResult::group)
            .distinct()
            .toList();
    assertThat(options).contains("--start", "--junit-xml").allMatch(reference::contains);
  }

  private static boolean isKnown(String name) {
    List<String> parts = new ArrayList<>(List.of(name.split("\\.", -1)));
    String last = parts.get(parts.size() - 1);
    Optional<String> method =
        METHOD.matcher(last).matches()
            ? Optional.of(parts.remove(parts.size() - 1))
            : Optional.empty();
    JavaClass type = TYPES.get(String.join("$", parts));
    return type != null
        && (method.isEmpty()
            || type.getAllMethods().stream().anyMatch(one -> one.getName().equals(method.get())));
  }
}
