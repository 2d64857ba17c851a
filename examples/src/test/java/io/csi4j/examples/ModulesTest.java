package io.csi4j.examples;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The boundaries of csi4j: which module knows which, what of its inside a module shows to another,
 * how packages know each other, and how types are named. Beside each rule stands a sample that
 * breaks it.
 */
class ModulesTest {

  private static final ArchRule NO_CIRCLE_OF_PACKAGES =
      slices().matching("io.csi4j.(**)").should().beFreeOfCycles();

  /** A row of the table of inside packages: the package, its module, the modules that see it. */
  private static final Pattern ROW =
      Pattern.compile(
          "^\\| `(io\\.csi4j\\.[\\w.]+)` \\| `([\\w/-]+)` \\| ((?:`[\\w.]+`(?:, )?)+) \\|",
          Pattern.MULTILINE);

  @TempDir Path directory;

  // Modules.

  @Test
  void theModulesKnowEachOtherAsTheHouseSays() {
    Map<String, Set<String>> requires =
        PublishedModules.descriptors().values().stream()
            .collect(Collectors.toMap(ModuleDescriptor::name, ModulesTest::ours));

    String volume = "io.csi4j.volume.";
    assertThat(requires)
        .containsOnly(
            Map.entry("io.csi4j.client.model", Set.of()),
            Map.entry("io.csi4j.client", Set.of("io.csi4j.client.model")),
            Map.entry("io.csi4j.mount", Set.of()),
            Map.entry(volume + "model", Set.of("io.csi4j.client.model", "io.csi4j.mount")),
            Map.entry(volume + "state", Set.of()),
            Map.entry(
                volume + "plugins", Set.of("io.csi4j.client", volume + "model", volume + "state")),
            Map.entry(volume + "node", Set.of(volume + "plugins")),
            Map.entry(volume + "workload", Set.of(volume + "node")),
            Map.entry(volume + "claims", Set.of(volume + "model", volume + "state")),
            Map.entry(volume + "controller", Set.of(volume + "claims", volume + "plugins")),
            Map.entry(volume + "agent", Set.of(volume + "node")),
            Map.entry(
                volume + "cluster",
                Set.of(volume + "agent", volume + "controller", volume + "workload")),
            Map.entry(volume + "claims.etcd", Set.of(volume + "claims")),
            Map.entry(volume + "claims.jdbc", Set.of(volume + "claims")),
            Map.entry(volume + "cluster.grpc", Set.of(volume + "agent")),
            Map.entry("io.csi4j.testkit.mount", Set.of("io.csi4j.mount")),
            Map.entry("io.csi4j.testkit", Set.of("io.csi4j.client", "io.csi4j.testkit.mount")),
            Map.entry("io.csi4j.testkit.hostpath", Set.of("io.csi4j.mount", "io.csi4j.testkit")),
            Map.entry("io.csi4j.testkit.proxy", Set.of("io.csi4j.testkit")),
            Map.entry(
                "io.csi4j.conformance",
                Set.of("io.csi4j.client", "io.csi4j.testkit", volume + "claims")),
            Map.entry(
                "io.csi4j.testkit.cli",
                Set.of(
                    "io.csi4j.client",
                    "io.csi4j.mount",
                    "io.csi4j.conformance",
                    "io.csi4j.testkit",
                    "io.csi4j.testkit.hostpath",
                    "io.csi4j.testkit.proxy",
                    volume + "node",
                    volume + "claims",
                    volume + "claims.etcd",
                    volume + "claims.jdbc",
                    volume + "controller")),
            Map.entry(
                "io.csi4j.micrometer",
                Set.of(
                    "io.csi4j.client.model",
                    volume + "node",
                    volume + "claims",
                    volume + "controller")),
            Map.entry(
                "io.csi4j.opentelemetry",
                Set.of(
                    "io.csi4j.client.model",
                    volume + "node",
                    volume + "claims",
                    volume + "controller")));
  }

  @Test
  void thePictureOfTheHouseShowsWhoStandsOnWhom() throws IOException {
    Map<String, Set<String>> below = new TreeMap<>();
    Map<String, String> artifacts = new TreeMap<>();
    for (Map.Entry<String, ModuleDescriptor> module : PublishedModules.descriptors().entrySet()) {
      artifacts.put(module.getValue().name(), artifact(module.getKey()));
    }
    PublishedModules.descriptors()
        .values()
        .forEach(
            module ->
                below.put(
                    artifacts.get(module.name()),
                    ours(module).stream().map(artifacts::get).collect(Collectors.toSet())));
    StringBuilder picture = new StringBuilder("flowchart TD\n");
    below.forEach(
        (module, uses) ->
            uses.stream()
                .filter(use -> uses.stream().noneMatch(other -> isAbove(other, use, below)))
                .sorted()
                .forEach(use -> picture.append("  " + module + " --> " + use + "\n")));

    Page page = Page.of("docs/architecture.md", "ModulesTest.java");
    if (Page.regenerating()) {
      page.regenerate(Map.of("the modules", picture.toString()));
    }
    assertThat(page.blocks("mermaid").get(0).group(3)).isEqualTo(picture.toString());
  }

  /** Whether a module reaches another one, itself not counted. */
  private static boolean isAbove(String upper, String lower, Map<String, Set<String>> below) {
    Set<String> uses = below.getOrDefault(upper, Set.of());
    return uses.contains(lower) || uses.stream().anyMatch(use -> isAbove(use, lower, below));
  }

  private static String artifact(String directory) throws IOException {
    return Pattern.compile("</parent>\\s*<artifactId>csi4j-([\\w-]+)</artifactId>")
        .matcher(Files.readString(PublishedModules.ROOT.resolve(directory).resolve("pom.xml")))
        .results()
        .findFirst()
        .orElseThrow()
        .group(1);
  }

  @Test
  void whatAModuleRequiresOfTheHouseIsSeen() {
    ModuleDescriptor module =
        ModuleDescriptor.newModule("io.csi4j.sample")
            .requires("java.base")
            .requires("io.grpc")
            .requires(Set.of(ModuleDescriptor.Requires.Modifier.TRANSITIVE), "io.csi4j.up")
            .build();

    assertThat(ours(module)).containsExactly("io.csi4j.up");
  }

  private static Set<String> ours(ModuleDescriptor module) {
    return module.requires().stream()
        .map(ModuleDescriptor.Requires::name)
        .filter(name -> name.startsWith("io.csi4j."))
        .collect(Collectors.toSet());
  }

  // Inside packages.

  @Test
  void noModuleShowsItsInsideButToOthersOfTheHouse() {
    assertThat(leaks(PublishedModules.descriptors().values())).isEmpty();
  }

  @Test
  void anInsidePackageThatIsShownIsFound() {
    ModuleDescriptor friend = ModuleDescriptor.newModule("io.csi4j.friend").build();
    ModuleDescriptor module =
        ModuleDescriptor.newModule("io.csi4j.sample")
            .exports("io.csi4j.sample")
            .exports("io.csi4j.sample.internal.all")
            .exports("io.csi4j.sample.internal.some", Set.of("io.csi4j.friend", "org.stranger"))
            .exports("io.csi4j.sample.internal.ours", Set.of("io.csi4j.friend"))
            .build();

    assertThat(leaks(List.of(module, friend)))
        .containsExactlyInAnyOrder(
            "io.csi4j.sample exports io.csi4j.sample.internal.all",
            "io.csi4j.sample exports io.csi4j.sample.internal.some to org.stranger");
  }

  /** Inside packages that are exported to everybody, and exports to modules of somebody else. */
  private static List<String> leaks(Collection<ModuleDescriptor> house) {
    Set<String> names =
        house.stream().map(ModuleDescriptor::name).collect(Collectors.toUnmodifiableSet());
    Set<String> leaks = new TreeSet<>();
    for (ModuleDescriptor module : house) {
      for (Exports exported : module.exports()) {
        String line = module.name() + " exports " + exported.source();
        if (!exported.isQualified() && exported.source().contains(".internal")) {
          leaks.add(line);
        }
        exported.targets().stream()
            .filter(target -> !names.contains(target))
            .forEach(target -> leaks.add(line + " to " + target));
      }
    }
    return List.copyOf(leaks);
  }

  @Test
  void thePageNamesEveryInsidePackageThatAnotherModuleSees() throws IOException {
    String page = Files.readString(PublishedModules.ROOT.resolve("docs/architecture.md"));

    assertThat(rows(page)).isEqualTo(seen(PublishedModules.descriptors()));
  }

  @Test
  void anInsidePackageWithoutItsRowAndARowWithoutItsPackageAreFound() {
    String page =
        """
        | package | of | seen by | for |
        |---|---|---|---|
        | `io.csi4j.sample.internal.text` | `sample` | `io.csi4j.one`, `io.csi4j.two` | escaping |
        | `io.csi4j.sample.internal.gone` | `sample` | `io.csi4j.one` | nothing |
        """;
    ModuleDescriptor module =
        ModuleDescriptor.newModule("io.csi4j.sample")
            .exports("io.csi4j.sample.internal.text", Set.of("io.csi4j.two", "io.csi4j.one"))
            .exports("io.csi4j.sample.internal.more", Set.of("io.csi4j.one"))
            .exports("io.csi4j.sample")
            .build();

    Map<String, Set<String>> both =
        Map.of("sample io.csi4j.sample.internal.text", Set.of("io.csi4j.one", "io.csi4j.two"));
    assertThat(rows(page))
        .containsAllEntriesOf(both)
        .containsOnlyKeys(
            "sample io.csi4j.sample.internal.text", "sample io.csi4j.sample.internal.gone");
    assertThat(seen(Map.of("sample", module)))
        .containsAllEntriesOf(both)
        .containsOnlyKeys(
            "sample io.csi4j.sample.internal.text", "sample io.csi4j.sample.internal.more");
  }

  /** The modules that see a package, by its module and its name, as a page says. */
  private static Map<String, Set<String>> rows(String page) {
    Map<String, Set<String>> rows = new TreeMap<>();
    for (MatchResult row : ROW.matcher(page).results().toList()) {
      rows.put(
          row.group(2) + " " + row.group(1), Set.of(row.group(3).replace("`", "").split(", ")));
    }
    return rows;
  }

  /** The same as the descriptors say. */
  private static Map<String, Set<String>> seen(Map<String, ModuleDescriptor> house) {
    Map<String, Set<String>> seen = new TreeMap<>();
    house.forEach(
        (where, module) ->
            module.exports().stream()
                .filter(Exports::isQualified)
                .forEach(
                    exported -> seen.put(where + " " + exported.source(), exported.targets())));
    return seen;
  }

  // Packages.

  @Test
  void noPackagesFormACircle() {
    NO_CIRCLE_OF_PACKAGES.check(PublishedModules.all());
  }

  @Test
  void aCircleOfPackagesIsFound() {
    Compiled broken =
        Compiled.sources(
            directory,
            "package io.csi4j.one; public class First { io.csi4j.one.inner.Second second; }",
            "package io.csi4j.one.inner; public class Second { io.csi4j.two.Third third; }",
            "package io.csi4j.two; public class Third { io.csi4j.one.First first; }",
            "package io.csi4j.three; public class Fourth { io.csi4j.one.First first; }");

    assertThat(NO_CIRCLE_OF_PACKAGES.evaluate(broken.classes()).getFailureReport().getDetails())
        .singleElement()
        .asString()
        .contains("Slice one -> ", "Slice one.inner -> ", "Slice two -> ")
        .doesNotContain("three");
  }

  // Names.

  @Test
  void noTwoTypesShareASimpleName() {
    assertThat(shared(PublishedModules.all())).isEmpty();
  }

  @Test
  void twoTypesThatShareASimpleNameAreFound() {
    Compiled broken =
        Compiled.sources(
            directory,
            "package io.csi4j.one; class Same { class Nested {} }",
            "package io.csi4j.two; class Same { class Nested {} }",
            "package io.csi4j.two; class Other {}");

    assertThat(shared(broken.classes()))
        .containsExactly(Map.entry("Same", Set.of("io.csi4j.one.Same", "io.csi4j.two.Same")));
  }

  /** Simple names of types that stand in no other, and that more than one such type has. */
  private static Map<String, Set<String>> shared(JavaClasses classes) {
    Map<String, Set<String>> named = new TreeMap<>();
    classes.stream()
        .filter(JavaClass::isTopLevelClass)
        .filter(type -> !type.getSimpleName().equals("package-info"))
        .forEach(
            type ->
                named
                    .computeIfAbsent(type.getSimpleName(), name -> new TreeSet<>())
                    .add(type.getName()));
    named.values().removeIf(types -> types.size() == 1);
    return named;
  }
}
