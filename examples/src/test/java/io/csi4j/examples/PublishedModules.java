package io.csi4j.examples;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The published modules of this build, by the directory that each is in, and what they hold. */
final class PublishedModules {

  /** The root of the checkout. */
  static final Path ROOT =
      Path.of(System.getProperty("csi4j.root", "..")).toAbsolutePath().normalize();

  private static final List<String> MODULES =
      List.of(
          "csi-client/model",
          "csi-client/client",
          "mount-linux",
          "volume-manager/model",
          "volume-manager/state",
          "volume-manager/plugins",
          "volume-manager/node",
          "volume-manager/workload",
          "volume-manager/claims",
          "volume-manager/controller",
          "volume-manager/agent",
          "volume-manager/cluster",
          "volume-manager/claims-etcd",
          "volume-manager/claims-jdbc",
          "volume-manager/cluster-grpc",
          "testkit/mounts",
          "testkit/fake",
          "testkit/hostpath",
          "testkit/proxy",
          "testkit/conformance",
          "testkit/cli",
          "telemetry/micrometer",
          "telemetry/opentelemetry");

  /** The classes that are generated from messages of protobuf. */
  static final Pattern GENERATED = Pattern.compile(".*/internal/(.+/)?proto/.*");

  /**
   * Imported at once: what they have in common is read once. Without generated classes, which are a
   * quarter of all, and to which the rules do not apply.
   */
  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(location -> !location.matches(GENERATED))
          .importPaths(MODULES.stream().map(Compiled::directoryOf).toList());

  private static final Map<String, Compiled> COMPILED =
      MODULES.stream().collect(Collectors.toMap(Function.identity(), PublishedModules::part));

  private static Compiled part(String module) {
    Path directory = Compiled.directoryOf(module);
    String begin = directory.toUri().toString();
    return new Compiled(
        directory,
        ALL.that(
            DescribedPredicate.describe(
                "in " + module,
                type -> type.getSource().orElseThrow().getUri().toString().startsWith(begin))));
  }

  private PublishedModules() {}

  /** The directories of the published modules. */
  static List<String> modules() {
    return MODULES;
  }

  /** The classes of the module in {@code directory}. */
  static Compiled compiled(String directory) {
    return Objects.requireNonNull(COMPILED.get(directory), directory);
  }

  /** The descriptors, by the directory of their module. */
  static Map<String, ModuleDescriptor> descriptors() {
    return COMPILED.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().descriptor()));
  }

  /** The packages that any of the modules exports to everybody. */
  static Set<String> exported() {
    return COMPILED.values().stream()
        .flatMap(module -> PublicApi.of(module).exported().stream())
        .collect(Collectors.toSet());
  }

  /** The classes of all modules together. */
  static JavaClasses all() {
    return ALL;
  }
}
