package io.csi4j.examples.generated;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Reads tests and their assertions from sources, with the parser of the compiler. An assertion is
 * sound if its test cannot pass without it: it stands in the body of the test, outside of branches,
 * of loops that may be empty and of lambdas, it asks a question, and it does so after its
 * description.
 */
final class WrittenTests {

  private static final Path ROOT =
      Path.of(System.getProperty("csi4j.root", ".")).toAbsolutePath().normalize();

  /** Classes that surefire runs. */
  private static final Pattern RUN = Pattern.compile("Test\\w*|\\w+(?:Test|Tests|TestCase)");

  private static final Set<String> TESTS =
      Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory");

  /** Tags that annotations of csi4j stand for. */
  private static final Map<String, String> TAGGED = Map.of("MountTest", "mount");

  private static final Set<String> DESCRIPTIONS = Set.of("as", "describedAs");

  private static final Pattern QUESTION =
      Pattern.compile(
          "(?:is|has|contains|does|starts|ends|matches|satisfies|all|any|none|no|fails|completes|"
              + "exists|are|have|zip|corresponds)(?:[A-Z]\\w*)?");

  /** Names of codes in texts. */
  private static final Pattern NAME = Pattern.compile("[A-Z][A-Z_]+");

  /** Questions that nearly everything answers. */
  private static final Set<String> IDLE_QUESTIONS = Set.of("isNotNull", "isNotEmpty");

  private final List<WrittenTest> found = new ArrayList<>();
  private final Map<String, Set<String>> parents = new HashMap<>();
  private final Set<String> runnable = new HashSet<>();

  private WrittenTests() {}

  /** All tests of the project. */
  static List<WrittenTest> ofTheHouse() throws IOException {
    List<Path> sources;
    try (Stream<Path> files = Files.walk(ROOT)) {
      sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> file.toString().contains("/src/test/java/"))
              .sorted()
              .toList();
    }
    return in(sources);
  }

  /** The tests in these sources. */
  static List<WrittenTest> in(List<Path> sources) throws IOException {
    JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      WrittenTests tests = new WrittenTests();
      for (CompilationUnitTree unit : task.parse()) {
        tests.read(unit);
      }
      return tests.found.stream().map(tests::withWhetherItsClassIsRun).toList();
    }
  }

  private void read(CompilationUnitTree unit) {
    String module = module(Path.of(unit.getSourceFile().toUri()));
    for (Tree type : unit.getTypeDecls()) {
      if (type instanceof ClassTree declared) {
        read(declared, new Around(module, declared.getSimpleName().toString(), Set.of(), ""));
      }
    }
  }

  private static String module(Path source) {
    String path = source.toAbsolutePath().normalize().toString();
    int end = path.indexOf("/src/test/java/");
    String folder = end < 0 ? path : path.substring(0, end);
    return folder.startsWith(ROOT + "/") ? folder.substring(ROOT.toString().length() + 1) : "";
  }

  /**
   * The classes around a test.
   *
   * @param module the folder of the module
   * @param top the name of the outermost class
   * @param tags their tags
   * @param idle why their tests are not run; empty if they are
   */
  private record Around(String module, String top, Set<String> tags, String idle) {}

  private void read(ClassTree type, Around around) {
    String name = type.getSimpleName().toString();
    boolean isTop = name.equals(around.top());
    Set<String> annotations = annotations(type.getModifiers().getAnnotations());
    Set<String> tags = new LinkedHashSet<>(around.tags());
    tags.addAll(tags(type.getModifiers().getAnnotations()));
    String idle = around.idle();
    if (annotations.contains("Disabled")) {
      idle = "its class is disabled";
    } else if (!isTop && !annotations.contains("Nested")) {
      idle = "the class " + name + " around it is not run";
    }
    if (isTop) {
      Set<String> above = new TreeSet<>();
      if (type.getExtendsClause() != null) {
        above.add(simple(type.getExtendsClause()));
      }
      type.getImplementsClause().forEach(each -> above.add(simple(each)));
      parents.put(name, above);
      boolean isInterface = type.getKind() == Tree.Kind.INTERFACE;
      if (RUN.matcher(name).matches()
          && !isInterface
          && !type.getModifiers().getFlags().contains(Modifier.ABSTRACT)) {
        runnable.add(name);
      }
    }
    Around inside = new Around(around.module(), around.top(), Set.copyOf(tags), idle);
    for (Tree member : type.getMembers()) {
      if (member instanceof ClassTree nested) {
        read(nested, inside);
      } else if (member instanceof MethodTree method) {
        read(method, inside);
      }
    }
  }

  private void read(MethodTree method, Around around) {
    List<? extends AnnotationTree> annotations = method.getModifiers().getAnnotations();
    Set<String> names = annotations(annotations);
    if (names.stream().noneMatch(TESTS::contains) || method.getBody() == null) {
      return;
    }
    Set<String> tags = new LinkedHashSet<>(around.tags());
    tags.addAll(tags(annotations));
    Body body = new Body();
    body.scan(method.getBody(), "");
    found.add(
        new WrittenTest(
            around.module(),
            around.top(),
            method.getName().toString(),
            Set.copyOf(tags),
            names.contains("Disabled") ? "it is disabled" : around.idle(),
            List.copyOf(body.assertions)));
  }

  /** A class that is not run itself may be the contract of one that is. */
  private WrittenTest withWhetherItsClassIsRun(WrittenTest test) {
    boolean isRun =
        runnable.contains(test.type())
            || runnable.stream().anyMatch(each -> ancestors(each).contains(test.type()));
    String idle = !test.idle().isEmpty() || isRun ? test.idle() : "no class runs it";
    return new WrittenTest(
        test.module(), test.type(), test.method(), test.tags(), idle, test.assertions());
  }

  private Set<String> ancestors(String type) {
    Set<String> all = new HashSet<>();
    Deque<String> next = new ArrayDeque<>(parents.getOrDefault(type, Set.of()));
    while (!next.isEmpty()) {
      String each = next.pop();
      if (all.add(each)) {
        next.addAll(parents.getOrDefault(each, Set.of()));
      }
    }
    return all;
  }

  private static Set<String> annotations(List<? extends AnnotationTree> annotations) {
    Set<String> names = new HashSet<>();
    annotations.forEach(each -> names.add(simple(each.getAnnotationType())));
    return names;
  }

  private static Set<String> tags(List<? extends AnnotationTree> annotations) {
    Set<String> tags = new LinkedHashSet<>();
    for (AnnotationTree each : annotations) {
      String name = simple(each.getAnnotationType());
      if (name.equals("Tag")) {
        ExpressionTree value = each.getArguments().get(0);
        tags.add(text(value instanceof AssignmentTree set ? set.getExpression() : value));
      } else if (TAGGED.containsKey(name)) {
        tags.add(TAGGED.get(name));
      }
    }
    return tags;
  }

  private static String simple(Tree type) {
    String text = type.toString();
    int generic = text.indexOf('<');
    String raw = generic < 0 ? text : text.substring(0, generic);
    return raw.substring(raw.lastIndexOf('.') + 1);
  }

  /** The text of a literal, or the literals at the beginning of a sum. */
  private static String text(Tree expression) {
    StringBuilder text = new StringBuilder();
    new TreeScanner<@Nullable Void, @Nullable Void>() {
      @Override
      public @Nullable Void visitLiteral(LiteralTree literal, @Nullable Void unused) {
        text.append(literal.getValue());
        return null;
      }
    }.scan(expression, null);
    return text.toString();
  }

  /** Finds the assertions of a body; the argument says why one that stands there may be missed. */
  private static final class Body extends TreeScanner<@Nullable Void, String> {

    private final List<WrittenAssertion> assertions = new ArrayList<>();
    private boolean mayBeOver;
    private int depth;

    @Override
    public @Nullable Void visitExpressionStatement(
        ExpressionStatementTree statement, String doubt) {
      List<MethodInvocationTree> chain = chain(statement.getExpression());
      if (!chain.isEmpty() && called(chain.get(0)).startsWith("assertThat")) {
        add(chain, mayBeOver && doubt.isEmpty() ? "the test may have returned before it" : doubt);
      }
      return super.visitExpressionStatement(statement, doubt);
    }

    private void add(List<MethodInvocationTree> chain, String doubt) {
      String label = "";
      boolean asks = false;
      Set<String> words = new TreeSet<>();
      for (MethodInvocationTree call : chain) {
        String name = called(call);
        if (DESCRIPTIONS.contains(name)) {
          label = text(call.getArguments().get(0));
          asks = false;
        } else {
          words.add(name);
          call.getArguments().forEach(each -> words.addAll(words(each)));
          asks |= QUESTION.matcher(name).matches() && !IDLE_QUESTIONS.contains(name);
        }
      }
      String flaw = doubt;
      if (!asks) {
        flaw = "it asks nothing after its description";
      } else if (chain.get(0).getArguments().stream().allMatch(LiteralTree.class::isInstance)) {
        flaw = "it looks at a constant";
      }
      assertions.add(new WrittenAssertion(label, Set.copyOf(words), flaw));
    }

    @Override
    public @Nullable Void visitIf(IfTree branch, String doubt) {
      scan(branch.getThenStatement(), "it stands in a branch");
      return scan(branch.getElseStatement(), "it stands in a branch");
    }

    @Override
    public @Nullable Void visitCase(CaseTree branch, String doubt) {
      return super.visitCase(branch, "it stands in a branch");
    }

    @Override
    public @Nullable Void visitConditionalExpression(
        ConditionalExpressionTree branch, String doubt) {
      return super.visitConditionalExpression(branch, "it stands in a branch");
    }

    @Override
    public @Nullable Void visitCatch(CatchTree handler, String doubt) {
      return super.visitCatch(handler, "it stands in a catch");
    }

    @Override
    public @Nullable Void visitWhileLoop(WhileLoopTree loop, String doubt) {
      return super.visitWhileLoop(loop, "it stands in a loop that may be empty");
    }

    @Override
    public @Nullable Void visitForLoop(ForLoopTree loop, String doubt) {
      return super.visitForLoop(loop, "it stands in a loop that may be empty");
    }

    @Override
    public @Nullable Void visitEnhancedForLoop(EnhancedForLoopTree loop, String doubt) {
      List<MethodInvocationTree> over = chain(loop.getExpression());
      boolean isFilled =
          !over.isEmpty()
              && (called(over.get(0)).equals("values")
                  || (called(over.get(0)).equals("of")
                      && !over.get(0).getArguments().isEmpty()
                      && over.size() == 1));
      return super.visitEnhancedForLoop(
          loop, isFilled ? doubt : "it stands in a loop that may be empty");
    }

    @Override
    public @Nullable Void visitLambdaExpression(LambdaExpressionTree lambda, String doubt) {
      depth++;
      super.visitLambdaExpression(lambda, "it stands in a lambda");
      depth--;
      return null;
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, String doubt) {
      depth++;
      super.visitClass(type, "it stands in a class");
      depth--;
      return null;
    }

    @Override
    public @Nullable Void visitReturn(ReturnTree leave, String doubt) {
      mayBeOver |= depth == 0;
      return super.visitReturn(leave, doubt);
    }

    /** The calls of a chain, the first one first. */
    private static List<MethodInvocationTree> chain(ExpressionTree expression) {
      List<MethodInvocationTree> chain = new ArrayList<>();
      ExpressionTree next =
          expression instanceof ParenthesizedTree inside ? inside.getExpression() : expression;
      while (next instanceof MethodInvocationTree call) {
        chain.add(0, call);
        next =
            call.getMethodSelect() instanceof MemberSelectTree member
                ? member.getExpression()
                : call.getMethodSelect();
      }
      return chain;
    }

    private static String called(MethodInvocationTree call) {
      return call.getMethodSelect() instanceof MemberSelectTree member
          ? member.getIdentifier().toString()
          : call.getMethodSelect().toString();
    }

    private static Set<String> words(Tree tree) {
      Set<String> words = new TreeSet<>();
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitIdentifier(IdentifierTree name, @Nullable Void unused) {
          words.add(name.getName().toString());
          return null;
        }

        @Override
        public @Nullable Void visitMemberSelect(MemberSelectTree member, @Nullable Void unused) {
          words.add(member.getIdentifier().toString());
          return super.visitMemberSelect(member, null);
        }

        @Override
        public @Nullable Void visitLiteral(LiteralTree literal, @Nullable Void unused) {
          String text = String.valueOf(literal.getValue());
          words.add(text);
          NAME.matcher(text).results().forEach(name -> words.add(name.group()));
          return null;
        }
      }.scan(tree, null);
      return words;
    }
  }
}
