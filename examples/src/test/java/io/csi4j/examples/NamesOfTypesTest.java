package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Names of public types consist of words that a host's author knows: terms of the glossary, words
 * of the CSI specification's messages, and the plain words that {@code plain-words.txt} lists.
 */
class NamesOfTypesTest {

  private static final Pattern WORD =
      Pattern.compile("[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z0-9]+|[A-Z]+|[a-z0-9]+");

  private static final Pattern TERM = Pattern.compile("(?m)^\\| ([^|]+) \\| [^|]+ \\| [^|]+ \\|$");

  private static final Pattern MESSAGE =
      Pattern.compile("(?m)^\\s*(?:message|service|enum|rpc) (\\w+)");

  private static final Path PROTO =
      PublishedModules.ROOT.resolve("csi-client/client/src/main/proto/csi.proto");

  @Test
  void everyNameConsistsOfWordsThatAHostKnows() throws IOException {
    SortedMap<String, String> used = used();
    Set<String> unknown = new TreeSet<>(used.keySet());
    unknown.removeAll(terms());
    unknown.removeAll(ofTheSpecification());
    unknown.removeAll(plain());

    assertThat(used).as("types were found").hasSizeGreaterThan(200);
    assertThat(unknown.stream().map(word -> word + " in " + used.get(word)))
        .as("words to rename, to define in docs/glossary.md, or to add to plain-words.txt")
        .isEmpty();
  }

  @Test
  void theListHasNoWordThatIsUnusedOrDefinedElsewhere() throws IOException {
    Set<String> useless = new TreeSet<>(plain());
    useless.removeIf(used().keySet()::contains);
    assertThat(useless).as("unused").isEmpty();

    Set<String> twice = new TreeSet<>(plain());
    twice.retainAll(terms());
    assertThat(twice).as("also in docs/glossary.md").isEmpty();
    assertThat(plain().stream().filter(ofTheSpecification()::contains))
        .as("also in the names of the specification")
        .isEmpty();
  }

  @Test
  void theGlossaryHasAtMostFortyTerms() throws IOException {
    assertThat(rows()).hasSizeBetween(20, 40).contains("use", "wanted use", "pending", "uncertain");
  }

  @Test
  void aNameIsReadWordByWord() {
    assertThat(words("AesGcmSealer")).containsExactly("aes", "gcm", "sealer");
    assertThat(words("CSIPlugin")).containsExactly("csi", "plugin");
    assertThat(words("OnDeadMount")).containsExactly("on", "dead", "mount");
  }

  /** The words in the names of the exported types, each with the first type that has it. */
  private static SortedMap<String, String> used() {
    Set<String> exported = PublishedModules.exported();
    SortedMap<String, String> used = new TreeMap<>();
    for (JavaClass type : PublishedModules.all()) {
      if (exported.contains(type.getPackageName()) && isPublic(type)) {
        words(type.getSimpleName()).forEach(word -> used.putIfAbsent(word, type.getName()));
      }
    }
    return used;
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && !type.isAnonymousClass()
        && type.getEnclosingClass().map(NamesOfTypesTest::isPublic).orElse(true);
  }

  private static List<String> words(String name) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(name);
    while (matcher.find()) {
      words.add(matcher.group().toLowerCase(Locale.ROOT));
    }
    return words;
  }

  private static List<String> rows() throws IOException {
    List<String> rows = new ArrayList<>();
    Matcher matcher =
        TERM.matcher(Files.readString(PublishedModules.ROOT.resolve("docs/glossary.md")));
    while (matcher.find()) {
      if (!matcher.group(1).equals("term") && !matcher.group(1).startsWith("-")) {
        rows.add(matcher.group(1));
      }
    }
    return rows;
  }

  /** The words of the glossary's terms, in the singular and the plural. */
  private static Set<String> terms() throws IOException {
    Set<String> terms = new HashSet<>();
    for (String row : rows()) {
      for (String word : row.split("[ ,]+", -1)) {
        terms.add(word);
        terms.add(word + "s");
      }
    }
    return terms;
  }

  /** The words in the names of the specification's messages, services and calls. */
  private static Set<String> ofTheSpecification() throws IOException {
    Set<String> words = new HashSet<>();
    Matcher matcher = MESSAGE.matcher(Files.readString(PROTO));
    while (matcher.find()) {
      words.addAll(words(matcher.group(1)));
    }
    return words;
  }

  private static List<String> plain() throws IOException {
    Path list =
        PublishedModules.ROOT.resolve(
            "examples/src/test/resources/io/csi4j/examples/plain-words.txt");
    return Files.readAllLines(list).stream().filter(line -> !line.startsWith("#")).toList();
  }
}
