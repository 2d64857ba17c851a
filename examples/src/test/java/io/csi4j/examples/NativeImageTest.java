package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.GeneratedMessage;
import com.google.protobuf.ProtocolMessageEnum;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * The metadata for native images in the jars of the client and of mounts: written from what the
 * code looks up by name, and held to it.
 */
class NativeImageTest {

  private static final List<String> MODULES =
      List.of("csi-client/model", "csi-client/client", "mount-linux");

  /** What looks something up that an image builder cannot foresee. */
  private static final Set<String> BY_NAME =
      Set.of(
          "java.lang.Class.forName",
          "java.lang.Class.getField",
          "java.lang.Class.getDeclaredField",
          "java.lang.Class.getMethod",
          "java.lang.Class.getMethods",
          "java.lang.Class.getDeclaredMethod",
          "java.lang.Class.getDeclaredMethods",
          "java.lang.Class.getConstructor",
          "java.lang.Class.getDeclaredConstructor",
          "java.lang.Class.getRecordComponents",
          "java.lang.Class.getResource",
          "java.lang.Class.getResourceAsStream",
          "java.lang.ClassLoader.getResource",
          "java.lang.ClassLoader.getResourceAsStream",
          "java.lang.ClassLoader.loadClass",
          "java.lang.reflect.Array.newInstance",
          "java.lang.reflect.Proxy.newProxyInstance",
          "java.util.ServiceLoader.load",
          "java.util.ResourceBundle.getBundle",
          "com.sun.jna.Native.load",
          "com.sun.jna.Native.register");

  private static final String FOREIGN = "java.lang.foreign.";
  private static final Path FOREIGN_LIBC =
      Page.ROOT.resolve("mount-linux/src/main/java/io/csi4j/mount/internal/ForeignLibc.java");

  @Test
  void allThatIsLookedUpByNameIsInOneOfThesePlaces() {
    Set<String> looking = new TreeSet<>();
    for (String module : MODULES) {
      for (JavaClass type : PublishedModules.compiled(module).classes()) {
        type.getCodeUnitCallsFromSelf().stream()
            .map(call -> call.getTargetOwner().getName() + "." + call.getName())
            .filter(BY_NAME::contains)
            .forEach(call -> looking.add(type.getName() + " " + call));
      }
    }

    String client = "io.csi4j.client.internal.";
    String mount = "io.csi4j.mount.internal.";
    assertThat(looking)
        .containsExactlyInAnyOrder(
            "io.csi4j.client.model.FailureTable java.lang.Class.getResourceAsStream",
            client + "redaction.RecordText java.lang.Class.getRecordComponents",
            client + "rules.GeneratedGetter java.lang.Class.getMethod",
            client + "text.FieldLimits java.lang.Class.getResourceAsStream",
            client + "transport.FrameLogSilencer java.lang.Class.getDeclaredMethod",
            client + "transport.FrameLogSilencer java.lang.reflect.Proxy.newProxyInstance",
            mount + "ForeignLibc$Foreign java.lang.Class.forName",
            mount + "ForeignLibc$Foreign java.lang.Class.getField",
            mount + "ForeignLibc$Foreign java.lang.Class.getMethod",
            mount + "ForeignLibc$Foreign java.lang.reflect.Array.newInstance",
            mount + "JnaLibc com.sun.jna.Native.register");
  }

  @Test
  void theModelHasItsTables() throws IOException {
    Path resources = Page.ROOT.resolve("csi-client/model/src/main/resources");
    List<String> tables;
    try (Stream<Path> files = Files.walk(resources)) {
      tables =
          files
              .filter(Files::isRegularFile)
              .map(file -> resources.relativize(file).toString())
              .filter(file -> !file.startsWith("META-INF"))
              .map(file -> "{ \"glob\": \"" + file + "\" }")
              .sorted()
              .toList();
    }
    hold("csi-client/model", "csi4j-client-model", "{\n" + array("resources", tables) + "\n}\n");
  }

  @Test
  void theClientHasItsMessagesItsRecordsAndTheLoggerOfFrames() throws IOException {
    String loggers = "io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLogger";
    List<String> types =
        new ArrayList<>(
            List.of(
                "{ \"type\": { \"proxy\": [\"" + loggers + "\"] } }",
                type(loggers, "\"allPublicMethods\": true"),
                type(
                    loggers + "Factory",
                    "\"methods\": [" + method("newInstance", List.of("java.lang.String")) + "]")));
    types.addAll(
        named(
            PublishedModules.compiled("csi-client/client").classes().stream()
                .filter(JavaClass::isRecord)
                .filter(NativeImageTest::isShownByRecordText)
                .map(JavaClass::getName),
            "\"allDeclaredMethods\": true"));
    // The checks of requests find generated methods by their names, those of answers read fields
    // by their descriptors.
    types.addAll(named(messages(), "\"allPublicMethods\": true"));
    assertThat(types).hasSizeGreaterThan(200);
    hold("csi-client/client", "csi4j-client", "{\n" + array("reflection", types) + "\n}\n");
  }

  /** The generated classes that are messages, their builders and constants. */
  private static Stream<String> messages() throws IOException {
    List<String> names = new ArrayList<>();
    Path classes = Compiled.directoryOf("csi-client/client");
    try (Stream<Path> files = Files.list(classes.resolve("io/csi4j/client/internal/proto"))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = classes.relativize(file).toString().replace('/', '.').replace(".class", "");
        Class<?> type = Class.forName(name, false, NativeImageTest.class.getClassLoader());
        if (Stream.of(
                GeneratedMessage.class, GeneratedMessage.Builder.class, ProtocolMessageEnum.class)
            .anyMatch(kind -> kind.isAssignableFrom(type))) {
          names.add(name);
        }
      }
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
    return names.stream();
  }

  @Test
  void mountsHaveBothBindings() throws IOException {
    List<String> types = new ArrayList<>();
    types.addAll(
        named(
            PublishedModules.compiled("mount-linux").classes().stream()
                .filter(
                    type ->
                        type.getMethods().stream()
                            .anyMatch(each -> each.getModifiers().contains(JavaModifier.NATIVE)))
                .map(JavaClass::getName),
            "\"allDeclaredMethods\": true, \"jniAccessible\": true"));
    assertThat(types).hasSize(2);
    types.add(
        type(
            "java.lang.Module",
            "\"methods\": [" + method("isNativeAccessEnabled", List.of()) + "]"));
    foreign()
        .forEach(
            (type, methods) ->
                types.add(
                    type(
                        FOREIGN + type,
                        methods.isEmpty()
                            ? ""
                            : methods.entrySet().stream()
                                .map(each -> method(each.getKey(), each.getValue()))
                                .collect(Collectors.joining(", ", "\"methods\": [", "]")))));
    types.add(type(FOREIGN + "ValueLayout", "\"fields\": [{ \"name\": \"JAVA_LONG\" }]"));
    types.add(type(FOREIGN + "Linker$Option[]", ""));
    types.add(type(FOREIGN + "MemoryLayout[]", ""));
    String numbers = Stream.generate(() -> "\"jlong\"").limit(6).collect(Collectors.joining(", "));
    hold(
        "mount-linux",
        "csi4j-mount-linux",
        "{\n"
            + array("reflection", types)
            + ",\n  \"foreign\": {\n    \"downcalls\": [\n      { \"returnType\": \"jlong\","
            + " \"parameterTypes\": ["
            + numbers
            + "],\n        \"options\": { \"captureCallState\": true, \"firstVariadicArg\": 1 } }\n"
            + "    ]\n  }\n}\n");
  }

  /** Newer JDKs than the one of the build have what the metadata says of them. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_22)
  void theJdkHasWhatIsNamedOfIt() throws Exception {
    for (Map.Entry<String, Map<String, List<String>>> type : foreign().entrySet()) {
      Set<String> methods =
          Stream.of(Class.forName(FOREIGN + type.getKey()).getMethods())
              .map(
                  method ->
                      method.getName()
                          + Stream.of(method.getParameterTypes())
                              .map(each -> each.isArray() ? array(each) : each.getName())
                              .toList())
              .collect(Collectors.toSet());
      type.getValue()
          .forEach((name, parameters) -> assertThat(methods).contains(name + parameters));
    }
  }

  private static String array(Class<?> type) {
    return type.getComponentType().getName() + "[]";
  }

  /** The types of {@code java.lang.foreign} and their methods, as the source names them. */
  private static Map<String, Map<String, List<String>>> foreign() throws IOException {
    String source = Files.readString(FOREIGN_LIBC);
    Map<String, String> types = new TreeMap<>();
    Map<String, Map<String, List<String>>> foreign = new TreeMap<>();
    Pattern.compile("Class<\\?> (\\w+) = type\\(\"([\\w$]+)\"\\)")
        .matcher(source)
        .results()
        .forEach(field -> types.put(field.group(1), field.group(2)));
    types.values().forEach(type -> foreign.put(type, new TreeMap<>()));
    Pattern.compile("call\\(\\s*(?:type\\(\"(\\w+)\"\\)|(\\w+)),\\s*\"(\\w+)\"")
        .matcher(source)
        .results()
        .forEach(
            call -> {
              String type = call.group(1) != null ? call.group(1) : types.get(call.group(2));
              foreign
                  .computeIfAbsent(type, none -> new TreeMap<>())
                  .put(call.group(3), parameters(type + "." + call.group(3)));
            });
    assertThat(foreign).hasSizeGreaterThan(6);
    return foreign;
  }

  private static List<String> parameters(String method) {
    return switch (method) {
      case "Arena.allocate" -> List.of("long", "long");
      case "FunctionDescriptor.of" -> List.of(FOREIGN + "MemoryLayout", FOREIGN + "MemoryLayout[]");
      case "Linker.downcallHandle" ->
          List.of(
              FOREIGN + "MemorySegment",
              FOREIGN + "FunctionDescriptor",
              FOREIGN + "Linker$Option[]");
      case "Linker$Option.captureCallState" -> List.of("java.lang.String[]");
      case "Linker$Option.firstVariadicArg" -> List.of("int");
      case "MemorySegment.ofBuffer" -> List.of("java.nio.Buffer");
      case "SymbolLookup.find" -> List.of("java.lang.String");
      default -> List.of();
    };
  }

  private static boolean isShownByRecordText(JavaClass type) {
    return type.getCodeUnitCallsFromSelf().stream()
        .anyMatch(call -> call.getTargetOwner().getSimpleName().equals("RecordText"));
  }

  private static List<String> named(Stream<String> types, String members) {
    return types.sorted().map(name -> type(name, members)).toList();
  }

  private static String type(String name, String members) {
    return "{ \"type\": \"" + name + "\"" + (members.isEmpty() ? "" : ", " + members) + " }";
  }

  private static String method(String name, List<String> parameters) {
    return "{ \"name\": \""
        + name
        + "\", \"parameterTypes\": ["
        + parameters.stream().map(each -> "\"" + each + "\"").collect(Collectors.joining(", "))
        + "] }";
  }

  private static String array(String name, Collection<String> elements) {
    return "  \"" + name + "\": [\n    " + String.join(",\n    ", elements) + "\n  ]";
  }

  private static void hold(String module, String artifact, String expected) throws IOException {
    Path file =
        Page.ROOT.resolve(
            module
                + "/src/main/resources/META-INF/native-image/io.csi4j/"
                + artifact
                + "/reachability-metadata.json");
    if (Page.regenerating()) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, expected);
    }
    assertThat(file)
        .as(
            "%s is stale; rewrite it with: mvn test -Dtest=NativeImageTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true",
            file)
        .hasContent(expected);
  }
}
