package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The module names of dependencies, on which the descriptors of csi4j rest. A name that only the
 * name of a jar gives changes with the jar; no automatic module can be linked.
 */
class DependencyModulesTest {

  private static final Pattern ROW =
      Pattern.compile(
          "^\\| (module descriptor|manifest of its jar|name of its file) \\| (.+) \\|$",
          Pattern.MULTILINE);

  private static final Map<String, ModuleReference> FOUND = found();

  @TempDir Path directory;

  @Test
  void thePageSaysWhereTheNameOfEachRequiredModuleComesFrom() throws IOException {
    Map<String, String> page = new TreeMap<>();
    ROW.matcher(Files.readString(PublishedModules.ROOT.resolve("docs/dependencies.md")))
        .results()
        .forEach(
            row -> {
              for (String name : row.group(2).split(", ", -1)) {
                page.put(name.replace("`", ""), row.group(1));
              }
            });

    Map<String, String> required = new TreeMap<>();
    for (String name : foreign()) {
      required.put(name, origin(name));
    }
    assertThat(page).isEqualTo(required);
  }

  @Test
  void theModulesThatCanBeLinkedAreThoseThatThePageNames() {
    Map<String, ModuleDescriptor> house =
        PublishedModules.descriptors().values().stream()
            .collect(Collectors.toMap(ModuleDescriptor::name, module -> module));

    assertThat(house.keySet().stream().filter(name -> isLinkable(name, house, new HashSet<>())))
        .containsExactlyInAnyOrder("io.csi4j.client.model", "io.csi4j.volume.state");
  }

  @Test
  void jlinkTakesAModuleWithoutAutomaticOnesAndSaysWhyItTakesNoOther() {
    assertThat(link("volume-manager/state", "io.csi4j.volume.state")).isEqualTo("0 ");
    assertThat(link("mount-linux", "io.csi4j.mount"))
        .startsWith("1 Error: ")
        .contains("automatic module cannot be used with jlink: com.sun.jna");
  }

  /** The status of jlink, and what it said. */
  private String link(String module, String name) {
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    String path =
        Stream.concat(
                Stream.of(Compiled.directoryOf(module).toString()),
                Stream.of("org.jspecify", "com.sun.jna").map(each -> location(each).toString()))
            .collect(Collectors.joining(File.pathSeparator));
    int status =
        ToolProvider.findFirst("jlink")
            .orElseThrow()
            .run(
                writer,
                writer,
                "--module-path",
                path,
                "--add-modules",
                name,
                "--output",
                directory.resolve(name).toString());
    writer.flush();
    return status + " " + said;
  }

  private static boolean isLinkable(
      String name, Map<String, ModuleDescriptor> house, Set<String> seen) {
    ModuleDescriptor module = house.get(name);
    if (module == null) {
      ModuleReference found = FOUND.get(name);
      module = found == null ? null : found.descriptor();
    }
    if (module == null || !seen.add(name)) {
      return true; // the JDK's
    }
    return !module.isAutomatic()
        && module.requires().stream()
            .filter(each -> !each.modifiers().contains(Requires.Modifier.STATIC))
            .allMatch(each -> isLinkable(each.name(), house, seen));
  }

  /** The modules of others that a module of csi4j requires. */
  private static Set<String> foreign() {
    return PublishedModules.descriptors().values().stream()
        .flatMap(module -> module.requires().stream())
        .map(Requires::name)
        .filter(name -> !name.matches("(java|jdk|io\\.csi4j)\\..*"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String origin(String name) throws IOException {
    if (!reference(name).descriptor().isAutomatic()) {
      return "module descriptor";
    }
    try (JarFile jar = new JarFile(location(name).toFile())) {
      String named = jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
      return name.equals(named) ? "manifest of its jar" : "name of its file";
    }
  }

  private static ModuleReference reference(String name) {
    ModuleReference found = FOUND.get(name);
    assertThat(found).as(name).isNotNull();
    return found;
  }

  private static Path location(String name) {
    return Path.of(reference(name).location().orElseThrow());
  }

  /** The modules of the jars on the path of this test, by their name. */
  private static Map<String, ModuleReference> found() {
    List<Path> jars =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> entry.endsWith(".jar"))
            .map(Path::of)
            .toList();
    Map<String, ModuleReference> found = new TreeMap<>();
    for (Path jar : jars) {
      try {
        ModuleFinder.of(jar)
            .findAll()
            .forEach(each -> found.putIfAbsent(each.descriptor().name(), each));
      } catch (FindException noModule) {
        // A jar whose name gives no module name is required by none.
      }
    }
    return found;
  }
}
