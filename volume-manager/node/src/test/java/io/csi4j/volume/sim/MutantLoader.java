package io.csi4j.volume.sim;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Loads the engine and the simulator anew, with the changed classes of a mutant in the place of the
 * real ones.
 */
final class MutantLoader extends ClassLoader {

  private static final String ENGINE = "io.csi4j.volume.internal.";
  private static final String OURS = "io.csi4j.volume.";

  private final Map<String, byte[]> changed;

  private MutantLoader(Map<String, byte[]> changed) {
    super(MutantLoader.class.getClassLoader());
    this.changed = changed;
  }

  /** Calls a static method of the simulator among the classes of a mutant. */
  static Object call(Mutant mutant, Class<?> type, String method, Object... arguments) {
    Class<?>[] types = new Class<?>[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      types[i] = arguments[i].getClass();
    }
    try {
      var called =
          new MutantLoader(compiled(mutant))
              .loadClass(type.getName())
              .getDeclaredMethod(method, types);
      called.setAccessible(true);
      return called.invoke(null, arguments);
    } catch (InvocationTargetException e) {
      throw new AssertionError("The mutant " + mutant + " fails.", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("The mutant " + mutant + " is not called.", e);
    }
  }

  // ---- compiling

  private static Map<String, byte[]> compiled(Mutant mutant) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    try (Compiled compiled = new Compiled(compiler.getStandardFileManager(null, null, null))) {
      boolean isGood =
          compiler
              .getTask(
                  complaints,
                  compiled,
                  null,
                  List.of("-proc:none", "-nowarn", "-classpath", path),
                  null,
                  sources(mutant))
              .call();
      if (!isGood) {
        throw new AssertionError("The mutant " + mutant + " cannot be compiled: " + complaints);
      }
      return compiled.classes();
    } catch (IOException e) {
      throw new AssertionError("The mutant " + mutant + " cannot be compiled.", e);
    }
  }

  /** The changed sources of a mutant; what it changes must be there, once. */
  static List<Source> sources(Mutant mutant) throws IOException {
    Path root =
        Path.of(System.getProperty("csi4j.root", "."))
            .resolve("volume-manager/node/src/main/java")
            .resolve(ENGINE.replace('.', '/'));
    Map<String, String> texts = new LinkedHashMap<>();
    for (Mutant.Edit edit : mutant.edits()) {
      String before = texts.get(edit.file());
      String text = before == null ? Files.readString(root.resolve(edit.file() + ".java")) : before;
      Matcher place = anyhowFormatted(edit.from()).matcher(text);
      if (!place.find()) {
        throw new AssertionError("This is not in " + edit.file() + ": " + edit.from());
      }
      String mutated = text.substring(0, place.start()) + edit.to() + text.substring(place.end());
      if (place.find()) {
        throw new AssertionError("This is in " + edit.file() + " twice: " + edit.from());
      }
      texts.put(edit.file(), mutated);
    }
    List<Source> sources = new ArrayList<>();
    texts.forEach((file, text) -> sources.add(new Source(ENGINE + file.replace('/', '.'), text)));
    return sources;
  }

  /** A text in which line breaks and spaces may be others. */
  private static Pattern anyhowFormatted(String text) {
    return Pattern.compile(
        Stream.of(text.strip().split("\\s+"))
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s*")));
  }

  /** A changed source. */
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String type, String text) {
      super(URI.create("string:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Keeps classes in memory. */
  private static final class Compiled extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> out = new HashMap<>();

    Compiled(JavaFileManager manager) {
      super(manager);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String type, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("memory:///" + type), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          out.put(type, bytes);
          return bytes;
        }
      };
    }

    Map<String, byte[]> classes() {
      Map<String, byte[]> classes = new HashMap<>();
      out.forEach((type, bytes) -> classes.put(type, bytes.toByteArray()));
      return classes;
    }
  }

  // ---- loading

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known == null ? define(name) : known;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] mutated = changed.get(name);
    if (mutated != null) {
      return defineClass(name, mutated, 0, mutated.length);
    }
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
